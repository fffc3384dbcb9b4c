import { routes } from '@tidemark/api';
import { DestinationServiceService as Rpc } from '@tidemark/contracts/export/v1/destinations';
import type { CallContext, Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedId } from '../../requests/checked-id.ts';
import type { ListCursors } from '../../requests/list-cursors.ts';
import { checkedDestinationId, requireProject, requireProjects, toSettings } from './destination-request.ts';
import { toDestination, toSync } from './destination-response.ts';
import { shapeEndpoints } from './shape-endpoints.ts';
import { syncEndpoints } from './sync-endpoints.ts';

export interface DestinationPeers {
  readonly projects: Peer;
  readonly export: Peer;
}

/** A list of one owner: a project, or the workspace. */
interface ListRequest {
  readonly path: string;
  readonly query: { readonly limit: number; readonly cursor: string };
  readonly cursors: ListCursors;
  readonly call: CallContext;
  readonly requestId: string;
}

export function destinationEndpoints(peers: DestinationPeers): Endpoint[] {
  return [...sharedEndpoints(peers), ...ownEndpoints(peers), ...syncEndpoints(peers.export), ...shapeEndpoints(peers)];
}

async function listDestinations(
  peer: Peer,
  projectId: string | undefined,
  list: ListRequest,
): Promise<EndpointResponse<typeof routes.listDestinations>> {
  const { limit, cursor } = list.query;
  const request = { projectId, limit, cursor: list.cursors.openId('dst', cursor) };
  const found = await peer.call(Rpc.listDestinations, request, list.call);
  const nextPage = list.cursors.nextPage(`${list.path}?limit=${limit}`, found.next);
  const data = found.destinations.map(toDestination);
  return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: list.requestId } };
}

async function listSyncs(
  peer: Peer,
  of: { readonly destinationId: string; readonly projectId: string | undefined },
  list: ListRequest,
): Promise<EndpointResponse<typeof routes.listSyncs>> {
  const { limit, cursor } = list.query;
  const request = { ...of, limit, cursor: list.cursors.openId('syn', cursor) };
  const found = await peer.call(Rpc.listSyncs, request, list.call);
  const nextPage = list.cursors.nextPage(`${list.path}?limit=${limit}`, found.next);
  return {
    status: 200,
    body: { data: found.syncs.map(toSync), ...nextPage, creditsUsed: 0, request_id: list.requestId },
  };
}

function sharedEndpoints({ projects, export: peer }: DestinationPeers): Endpoint[] {
  return [
    endpoint(routes.listDestinations, ({ baseUrl, ...request }) =>
      listDestinations(peer, undefined, { path: `${baseUrl}/destinations`, ...request }),
    ),

    endpoint(routes.createDestination, async ({ body, baseUrl, call, requestId }) => {
      await requireProjects(projects, body.projects ?? [], call);
      const request = { settings: toSettings(body) };
      const created = toDestination((await peer.call(Rpc.createDestination, request, call)).destination);
      const headers = { location: `${baseUrl}/destinations/${created.id}` };
      return { status: 201, body: { ...created, creditsUsed: 0, request_id: requestId }, headers };
    }),

    endpoint(routes.getDestination, async ({ params, call, requestId }) => {
      const request = { id: checkedDestinationId(params.id) };
      const { destination } = await peer.call(Rpc.getDestination, request, call);
      return { status: 200, body: { ...toDestination(destination), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.patchDestination, async ({ params, body, call, requestId }) => {
      const id = checkedDestinationId(params.id);
      await peer.call(Rpc.getDestination, { id }, call);
      await requireProjects(projects, body.projects ?? [], call);
      const request = { id, settings: toSettings(body) };
      const { destination } = await peer.call(Rpc.updateDestination, request, call);
      return { status: 200, body: { ...toDestination(destination), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.deleteDestination, async ({ params, call }) => {
      await peer.call(Rpc.deleteDestination, { id: checkedDestinationId(params.id) }, call);
      return { status: 204 };
    }),

    endpoint(routes.listSyncs, ({ params, baseUrl, ...request }) => {
      const destinationId = checkedDestinationId(params.id);
      const path = `${baseUrl}/destinations/${destinationId}/syncs`;
      return listSyncs(peer, { destinationId, projectId: undefined }, { path, ...request });
    }),

    endpoint(routes.startSync, async ({ params, body, call, requestId }) => {
      const id = checkedDestinationId(params.id);
      const { project_id: given, run_id: run } = body;
      await peer.call(Rpc.getDestination, { id }, call);
      const ofProjectId = given === undefined ? undefined : await requireProject(projects, given, call);
      const runId = run === undefined ? undefined : checkedId('run', run, 'run');
      const { syncs } = await peer.call(Rpc.startSync, { id, ofProjectId, runId }, call);
      return { status: 202, body: { data: syncs.map(toSync), creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

function ownEndpoints({ projects, export: peer }: DestinationPeers): Endpoint[] {
  const destinationOf = async (params: { readonly id: string; readonly dest: string }, call: CallContext) => ({
    projectId: await requireProject(projects, params.id, call),
    id: checkedDestinationId(params.dest),
  });
  return [
    endpoint(routes.listProjectDestinations, async ({ params, baseUrl, ...request }) => {
      const projectId = await requireProject(projects, params.id, request.call);
      return listDestinations(peer, projectId, { path: `${baseUrl}/projects/${projectId}/destinations`, ...request });
    }),

    endpoint(routes.createProjectDestination, async ({ params, body, baseUrl, call, requestId }) => {
      const projectId = await requireProject(projects, params.id, call);
      const request = { projectId, settings: toSettings(body) };
      const created = toDestination((await peer.call(Rpc.createDestination, request, call)).destination);
      const headers = { location: `${baseUrl}/projects/${projectId}/destinations/${created.id}` };
      return { status: 201, body: { ...created, creditsUsed: 0, request_id: requestId }, headers };
    }),

    endpoint(routes.patchProjectDestination, async ({ params, body, call, requestId }) => {
      const request = { ...(await destinationOf(params, call)), settings: toSettings(body) };
      const { destination } = await peer.call(Rpc.updateDestination, request, call);
      return { status: 200, body: { ...toDestination(destination), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.deleteProjectDestination, async ({ params, call }) => {
      await peer.call(Rpc.deleteDestination, await destinationOf(params, call), call);
      return { status: 204 };
    }),

    endpoint(routes.listProjectSyncs, async ({ params, baseUrl, ...request }) => {
      const { id, projectId } = await destinationOf(params, request.call);
      const path = `${baseUrl}/projects/${projectId}/destinations/${id}/syncs`;
      return listSyncs(peer, { destinationId: id, projectId }, { path, ...request });
    }),

    endpoint(routes.startProjectSync, async ({ params, body, call, requestId }) => {
      const of = await destinationOf(params, call);
      const runId = body.run_id === undefined ? undefined : checkedId('run', body.run_id, 'run');
      const { syncs } = await peer.call(Rpc.startSync, { ...of, ofProjectId: of.projectId, runId }, call);
      return { status: 202, body: { data: syncs.map(toSync), creditsUsed: 0, request_id: requestId } };
    }),
  ];
}
