import { routes } from '@tidemark/api';
import { type MapJob, MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { ProjectsServiceService as ProjectsRpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { CONFIG_KEYS } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { requireCaller } from '../../middleware/authenticated.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';
import { nextOffsetPage } from '../../requests/list-cursors.ts';
import { toMapEnvelope, toMapRow } from '../../responses/map-envelope.ts';
import { toDiscovery } from './discovery-response.ts';

/** Map options of a snapshot: the whole tree up to the limit of a map. */
const WHOLE_TREE = { search: '', limit: 50_000, sitemapMode: 'auto', forCrawl: false } as const;
const NO_IDEMPOTENCY_KEY = { idempotencyKey: '', requestHash: '' };
const PAGE_LIMIT = 1_000;

interface DiscoveryPeers {
  readonly projects: Peer;
  readonly map: Peer;
}

/** Endpoints of the sitemap snapshots of a project. */
export function discoveryEndpoints({ projects, map }: DiscoveryPeers): Endpoint[] {
  /** Returns the site of a project for map calls. @throws AppError not_found */
  async function siteOf(id: string, call: CallContext) {
    const { project } = await projects.call(ProjectsRpc.getProject, { id: checkedProjectId(id) }, call);
    if (project === undefined) throw new AppError('internal', 'projects returned no project');
    const allowSubdomains = project.config?.allowSubdomains ?? CONFIG_KEYS.allow_subdomains.fallback;
    return { site: { url: project.seed, projectId: project.id }, allowSubdomains };
  }

  return [
    endpoint(routes.getDiscovery, async ({ params, baseUrl, call, requestId }) => {
      const { site } = await siteOf(params.id, call);
      const discovery = await map.call(Rpc.discovery, site, call);
      return { status: 200, body: toDiscovery(discovery, { baseUrl, requestId }) };
    }),

    endpoint(routes.startDiscovery, async ({ params, baseUrl, call, auth, requestId }) => {
      const { site, allowSubdomains } = await siteOf(params.id, call);
      const { running } = await map.call(Rpc.discovery, site, call);
      const options = { ...WHOLE_TREE, allowSubdomains };
      const { job } =
        running === undefined
          ? await map.call(Rpc.map, { ...site, options, waitMs: 0, ...NO_IDEMPOTENCY_KEY }, call)
          : await map.call(Rpc.getMap, { id: running, withFiles: false }, call);
      const { id, creditsUsed } = requireJob(job);
      const { workspaceId } = requireCaller(auth);
      const envelope = { requestId, workspaceId, baseUrl, after: 0, limit: PAGE_LIMIT };
      return {
        status: 202,
        body: toMapEnvelope(requireJob(job), { rows: [], files: [] }, envelope),
        headers: { location: `${baseUrl}/map/${id}`, 'x-service-credits': String(creditsUsed) },
      };
    }),

    endpoint(routes.listDiscoveryEntries, async ({ params, query, baseUrl, call, requestId }) => {
      const { snapshot_id: snapshotId, set, file, prefix, q, limit, cursor: after } = query;
      const { site } = await siteOf(params.id, call);
      const filters = { file, prefix, q };
      const found = await map.call(Rpc.listEntries, { ...site, snapshotId, ...filters, set, after, limit }, call);
      // `next` names the snapshot, so that later pages do not switch to a newer one.
      const parameters = new URLSearchParams({ ...filters, snapshot_id: found.snapshotId, limit: String(limit) });
      for (const [name, value] of Object.entries(filters)) if (value === '') parameters.delete(name);
      if (set !== undefined) parameters.set('set', set);
      const at = `${baseUrl}/projects/${site.projectId}/discovery/entries?${parameters}`;
      return {
        status: 200,
        body: {
          data: found.entries.map(toMapRow),
          ...nextOffsetPage(at, found.next),
          snapshotId: found.snapshotId,
          total: found.total,
          prefixes: found.prefixes.map(({ prefix: folder, urls }) => ({ prefix: folder, urls })),
          creditsUsed: 0,
          request_id: requestId,
        },
      };
    }),
  ];
}

function requireJob(job: MapJob | undefined): MapJob {
  if (job === undefined) throw new AppError('internal', 'map returned no job');
  return job;
}
