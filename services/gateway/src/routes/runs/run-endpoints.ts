import { routes } from '@tidemark/api';
import {
  ArchiveServiceService as ArchiveRpc,
  type EngineShare,
  type ProjectRun,
} from '@tidemark/contracts/archive/v1/archive';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import type { Answer } from '../../request-context.ts';
import { checkedCursor } from '../checked-cursor.ts';
import { readLinkSet } from '../crawl/link-set.ts';
import { gotRun } from '../crawl/run-reader.ts';
import { projectRunOf } from '../pages/page-finder.ts';
import { checkedProjectId } from '../projects/project-endpoints.ts';
import { checkedRun } from './asked-run.ts';
import { toRunDetail, toRunEnvelope, toRunSummary } from './run-answer.ts';

export interface RunPeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
}

const credits = (run: Run) => ({ 'x-service-credits': String(run.creditsUsed) });

/** A run that has just been taken on. */
function started(run: Run, baseUrl: string, requestId: string): Answer {
  const location = `${baseUrl}/projects/${run.projectId}/runs/${run.id}`;
  return { status: 202, body: toRunEnvelope(run, baseUrl, requestId), headers: { ...credits(run), location } };
}

export function runEndpoints(peers: RunPeers): Endpoint[] {
  return [...startEndpoints(peers), ...historyEndpoints(peers), ...oneRunEndpoints(peers)];
}

function startEndpoints({ projects }: RunPeers): Endpoint[] {
  return [
    endpoint(routes.startRun, async ({ params, body, baseUrl, call, requestId }) => {
      const asked = { projectId: checkedProjectId(params.id), trigger: body.trigger };
      const { run } = await projects.call(Rpc.startRun, asked, call);
      return started(gotRun(run), baseUrl, requestId);
    }),

    endpoint(routes.recrawlPages, async ({ params, body, baseUrl, call, requestId }) => {
      const asked = { projectId: checkedProjectId(params.id), urls: body.urls };
      const { run } = await projects.call(Rpc.recrawl, asked, call);
      return started(gotRun(run), baseUrl, requestId);
    }),
  ];
}

function historyEndpoints({ projects }: RunPeers): Endpoint[] {
  return [
    endpoint(routes.listRuns, async ({ params, query, baseUrl, call, requestId }) => {
      const projectId = checkedProjectId(params.id);
      const { v = '', limit } = query;
      const cursor = checkedCursor('run', query.cursor);
      const found = await projects.call(Rpc.listRuns, { projectId, status: v, limit, cursor, fullOnly: false }, call);
      const at = `${baseUrl}/projects/${projectId}/runs?limit=${limit}${v === '' ? '' : `&v=${v}`}`;
      const next = found.next === '' ? null : `${at}&cursor=${encodeURIComponent(found.next)}`;
      const data = found.runs.map(toRunSummary);
      return { status: 200, body: { data, next, cursor: found.next || null, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

/** What read a run's pages; null while the archive is away, which is no reason not to tell of the run. */
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
    endpoint(routes.getRun, async ({ params, baseUrl, call, requestId }) => {
      const asked = checkedRun(params);
      const { run: told, log } = await projects.call(Rpc.getRun, { ...asked, withLog: true }, call);
      const run = gotRun(told);
      const engines = await enginesOf(archive, projectRunOf(run), call);
      return { status: 200, body: toRunDetail({ run, log, engines }, baseUrl, requestId), headers: credits(run) };
    }),

    endpoint(routes.cancelRun, async ({ params, baseUrl, call, requestId }) => {
      const run = gotRun((await projects.call(Rpc.cancelRun, checkedRun(params), call)).run);
      return { status: 200, body: toRunEnvelope(run, baseUrl, requestId), headers: credits(run) };
    }),

    endpoint(routes.listRunLinks, async ({ params, query, baseUrl, call }) => {
      const { run } = await projects.call(Rpc.getRun, { ...checkedRun(params), withLog: false }, call);
      const { id, projectId } = gotRun(run);
      const path = `${baseUrl}/projects/${projectId}/runs/${id}/links`;
      return { status: 200, body: await readLinkSet(crawl, { id, path, ...query }, call) };
    }),
  ];
}
