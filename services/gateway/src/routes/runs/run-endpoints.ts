import { routes } from '@tidemark/api';
import {
  ArchiveServiceService as ArchiveRpc,
  type EngineShare,
  type ProjectRun,
} from '@tidemark/contracts/archive/v1/archive';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { DiffServiceService as DiffRpc, type RecordCounts } from '@tidemark/contracts/diff/v1/diff';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedRun } from '../../queries/find-run.ts';
import { readLinkSet } from '../../queries/link-set.ts';
import { projectRunOf } from '../../queries/page-finder.ts';
import { requireRun } from '../../queries/run-reader.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';
import { toRunDetail, toRunEnvelope, toRunSummary } from '../../responses/project-run.ts';

export interface RunPeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly diff: Peer;
}

const credits = (run: Run) => ({ 'x-service-credits': String(run.creditsUsed) });

/** Returns the response for a started run. */
function started(run: Run, baseUrl: string, call: CallContext): EndpointResponse<typeof routes.startRun> {
  const location = `${baseUrl}/projects/${run.projectId}/runs/${run.id}`;
  return { status: 202, body: toRunEnvelope(run, baseUrl, call), headers: { ...credits(run), location } };
}

export function runEndpoints(peers: RunPeers): Endpoint[] {
  return [...startEndpoints(peers), ...historyEndpoints(peers), ...oneRunEndpoints(peers)];
}

function startEndpoints({ projects }: RunPeers): Endpoint[] {
  return [
    endpoint(routes.startRun, async ({ params, body, baseUrl, call }) => {
      const request = { projectId: checkedProjectId(params.id), trigger: body.trigger };
      const { run } = await projects.call(Rpc.startRun, request, call);
      return started(requireRun(run), baseUrl, call);
    }),

    endpoint(routes.recrawlPages, async ({ params, body, baseUrl, call }) => {
      const request = { projectId: checkedProjectId(params.id), urls: body.urls };
      const { run } = await projects.call(Rpc.recrawl, request, call);
      return started(requireRun(run), baseUrl, call);
    }),
  ];
}

/** Returns status and counts of the change records of runs, by run; empty while diff is unavailable. */
async function recordsOf(diff: Peer, projectId: string, runs: readonly Run[], call: CallContext) {
  if (runs.length === 0) return new Map<string, RecordCounts>();
  try {
    const runIds = runs.map(({ id }) => id);
    const { records } = await diff.call(DiffRpc.listRecordCounts, { projectId, runIds }, call);
    return new Map(records.map((record) => [record.runId, record]));
  } catch (error) {
    if (codeOf(error) !== 'unavailable') throw error;
    return new Map<string, RecordCounts>();
  }
}

function historyEndpoints({ projects, diff }: RunPeers): Endpoint[] {
  return [
    endpoint(routes.listRuns, async ({ params, query, baseUrl, call, requestId, cursors }) => {
      const projectId = checkedProjectId(params.id);
      const { v = '', limit } = query;
      const cursor = cursors.openId('run', query.cursor);
      const found = await projects.call(Rpc.listRuns, { projectId, status: v, limit, cursor }, call);
      const at = `${baseUrl}/projects/${projectId}/runs?limit=${limit}${v === '' ? '' : `&v=${v}`}`;
      const nextPage = cursors.nextPage(at, found.next);
      const records = await recordsOf(diff, projectId, found.runs, call);
      const data = found.runs.map((run) => toRunSummary(run, records.get(run.id)));
      return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

/** Returns the engine breakdown of a run; null while the archive is unavailable. */
async function enginesOf(archive: Peer, run: ProjectRun, call: CallContext): Promise<EngineShare[] | null> {
  try {
    return (await archive.call(ArchiveRpc.summarizeRun, { run }, call)).engines;
  } catch (error) {
    if (codeOf(error) !== 'unavailable') throw error;
    return null;
  }
}

function oneRunEndpoints({ projects, crawl, archive }: RunPeers): Endpoint[] {
  return [
    endpoint(routes.getRun, async ({ params, baseUrl, call }) => {
      const { run: found, log } = await projects.call(Rpc.getRun, { ...checkedRun(params), withLog: true }, call);
      const run = requireRun(found);
      const engines = await enginesOf(archive, projectRunOf(run), call);
      return { status: 200, body: toRunDetail({ run, log, engines }, baseUrl, call), headers: credits(run) };
    }),

    endpoint(routes.cancelRun, async ({ params, baseUrl, call }) => {
      const run = requireRun((await projects.call(Rpc.cancelRun, checkedRun(params), call)).run);
      return { status: 200, body: toRunEnvelope(run, baseUrl, call), headers: credits(run) };
    }),

    endpoint(routes.listRunLinks, async ({ params, query, baseUrl, call, cursors }) => {
      const { run } = await projects.call(Rpc.getRun, { ...checkedRun(params), withLog: false }, call);
      const { id, projectId } = requireRun(run);
      const path = `${baseUrl}/projects/${projectId}/runs/${id}/links`;
      return { status: 200, body: await readLinkSet(crawl, { id, path, cursors, ...query }, call) };
    }),
  ];
}
