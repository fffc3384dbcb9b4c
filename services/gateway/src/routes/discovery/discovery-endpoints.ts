import { routes } from '@tidemark/api';
import { type MapJob, MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { ProjectsServiceService as ProjectsRpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../../mount.ts';
import { toMapEnvelope, toMapRow } from '../map/map-envelope.ts';
import { checkedProjectId } from '../projects/project-endpoints.ts';
import { toDiscovery } from './discovery-answer.ts';

/** What a snapshot is made with: the whole tree, as far as a map reaches. */
const WHOLE = { search: '', limit: 50_000, sitemapMode: 'auto', forCrawl: false };
const NOT_KEPT = { idempotencyKey: '', requestHash: '' };
const PAGE_LIMIT = 1_000;

const KeptConfig = z.looseObject({ allow_subdomains: z.boolean().default(false) });

interface DiscoveryPeers {
  readonly projects: Peer;
  readonly map: Peer;
}

/** The sitemap trees of a project's site. */
export function discoveryEndpoints({ projects, map }: DiscoveryPeers): Endpoint[] {
  /** The site as map knows it. @throws AppError not_found */
  async function siteOf(id: string, call: CallContext) {
    const { project } = await projects.call(ProjectsRpc.getProject, { id: checkedProjectId(id) }, call);
    if (project === undefined) throw new AppError('internal', 'projects answered without a project');
    const config: unknown = project.configJson === '' ? {} : JSON.parse(project.configJson);
    const { allow_subdomains: allowSubdomains } = KeptConfig.parse(config);
    return { line: { url: project.seed, projectId: project.id }, allowSubdomains };
  }

  return [
    endpoint(routes.getDiscovery, async ({ params, baseUrl, call, requestId }) => {
      const { line } = await siteOf(params.id, call);
      const told = await map.call(Rpc.discovery, { ...line, snapshotId: '' }, call);
      return { status: 200, body: toDiscovery(told, { baseUrl, requestId }) };
    }),

    endpoint(routes.startDiscovery, async ({ params, baseUrl, call, requestId }) => {
      const { line, allowSubdomains } = await siteOf(params.id, call);
      const { running } = await map.call(Rpc.discovery, { ...line, snapshotId: '' }, call);
      const options = { ...WHOLE, allowSubdomains };
      const { job } =
        running === ''
          ? await map.call(Rpc.map, { ...line, options, waitMs: 0, ...NOT_KEPT }, call)
          : await map.call(Rpc.getMap, { id: running, withFiles: false }, call);
      const { id, creditsUsed } = gotJob(job);
      const around = { requestId, baseUrl, after: 0, limit: PAGE_LIMIT };
      return {
        status: 202,
        body: toMapEnvelope(gotJob(job), { rows: [], files: [] }, around),
        headers: { location: `${baseUrl}/map/${id}`, 'x-service-credits': String(creditsUsed) },
      };
    }),

    endpoint(routes.listDiscoveryEntries, async ({ params, query, baseUrl, call, requestId }) => {
      const { cursor: after, snapshot_id: snapshotId, set = '', file, prefix, q, limit } = query;
      const { line } = await siteOf(params.id, call);
      const chosen = { file, prefix, q, set };
      const found = await map.call(Rpc.listEntries, { ...line, snapshotId, ...chosen, after, limit }, call);
      const { entries, total, prefixes, next } = found;
      // Further pages are of the same snapshot, though a newer one may have been taken.
      const wanted = new URLSearchParams({ ...chosen, snapshot_id: found.snapshotId, limit: String(limit) });
      for (const [name, value] of Object.entries(chosen)) if (value === '') wanted.delete(name);
      const at = `${baseUrl}/projects/${line.projectId}/discovery/entries?${wanted}`;
      return {
        status: 200,
        body: {
          data: entries.map(toMapRow),
          next: next === undefined ? null : `${at}&cursor=${next}`,
          cursor: next === undefined ? null : String(next),
          snapshotId: found.snapshotId,
          total,
          prefixes: prefixes.map(({ prefix: folder, urls }) => ({ prefix: folder, urls })),
          creditsUsed: 0,
          request_id: requestId,
        },
      };
    }),
  ];
}

function gotJob(job: MapJob | undefined): MapJob {
  if (job === undefined) throw new AppError('internal', 'map answered without a job');
  return job;
}
