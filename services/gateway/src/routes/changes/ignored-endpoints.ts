import { routes } from '@tidemark/api';
import { textOrEmpty } from '@tidemark/contracts';
import { DiffServiceService as Diff } from '@tidemark/contracts/diff/v1/diff';
import { ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { findRun } from '../../queries/find-run.ts';
import { requireProject } from '../../queries/require-project.ts';
import { noSuchId } from '../../requests/checked-id.ts';
import { decisionsOf, toIgnoredChange } from './ignored-response.ts';

const IGNORED_ID = /^ign_[a-z2-9]{26}$/;

interface IgnoredPeers {
  readonly projects: Peer;
  readonly diff: Peer;
}

/** Endpoints of the ignored changes of a record. */
export function ignoredEndpoints({ projects, diff }: IgnoredPeers): Endpoint[] {
  return [
    endpoint(routes.listIgnoredChanges, async ({ params, query, baseUrl, call, requestId, cursors }) => {
      const { url, limit, run_id: requestedRun } = query;
      const after = cursors.openNumber(query.cursor);
      const project = await requireProject(projects, params.id, call);
      const { id: projectId } = project;
      const run = await findRun(projects, { id: projectId, runId: requestedRun }, call);
      const around = { creditsUsed: 0, request_id: requestId };
      if (run === undefined)
        return { status: 200, body: { runId: null, data: [], next: null, cursor: null, ...around } };
      const request = { projectId, runId: run.id, url, after, limit };
      const { runId, blocks, last, isMore } = await diff.call(Diff.listIgnoredBlocks, request, call);
      const at = `${baseUrl}/projects/${projectId}/changes/ignored?run_id=${textOrEmpty(runId)}&limit=${limit}`;
      const ofPage = url === undefined ? '' : `&url=${encodeURIComponent(url)}`;
      const decisions = decisionsOf(project);
      const body = {
        runId: runId ?? null,
        data: blocks.map((block) => toIgnoredChange(block, decisions)),
        ...cursors.nextPage(`${at}${ofPage}`, isMore ? last : undefined),
        ...around,
      };
      return { status: 200, body };
    }),

    endpoint(routes.overruleIgnoredChange, async ({ params, body: { ignore }, call, requestId }) => {
      const { id: projectId } = await requireProject(projects, params.id, call);
      if (!IGNORED_ID.test(params.ignored)) throw noSuchId('ign', params.ignored, 'ignored change');
      const { block } = await diff.call(Diff.getIgnoredBlock, { projectId, id: params.ignored }, call);
      if (block === undefined) throw new AppError('internal', 'diff returned no ignored change');
      const { place, url } = block;
      const decision = { projectId, place, ignore, url, text: block.after ?? block.before ?? '' };
      const { project } = await projects.call(Projects.saveVolatileOverride, decision, call);
      if (project === undefined) throw new AppError('internal', 'projects returned no project');
      const changed = toIgnoredChange(block, decisionsOf(project));
      const body = { ...changed, configVersion: project.configVersion, creditsUsed: 0, request_id: requestId };
      return { status: 200, body };
    }),
  ];
}
