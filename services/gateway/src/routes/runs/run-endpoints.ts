import { routes } from '@tidemark/api';
import { isId } from '@tidemark/contracts';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import type { Answer } from '../../request-context.ts';
import { checkedCursor } from '../checked-cursor.ts';
import { checkedNumber } from '../checked-number.ts';
import { readLinkSet } from '../crawl/link-set.ts';
import { gotRun, RunReader } from '../crawl/run-reader.ts';
import { checkedProjectId } from '../projects/project-endpoints.ts';
import { pageLinks } from '../scrape/page-row.ts';
import { listPages } from './page-list.ts';
import { pagesUrl, toRunEnvelope, toRunSummary } from './run-answer.ts';

export interface RunPeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
}

/** How many finished runs are looked at for one that stands for the site. */
const RECENT_RUNS = 25;

function checkedRun({ id, run }: { readonly id: string; readonly run: string }) {
  const projectId = checkedProjectId(id);
  if (!isId('run', run)) throw new AppError('not_found', 'there is no such run');
  return { projectId, runId: run };
}

function answer(run: Run, status: 200 | 202, baseUrl: string, requestId: string): Answer {
  return {
    status,
    body: toRunEnvelope(run, baseUrl, requestId),
    headers: {
      'x-service-credits': String(run.creditsUsed),
      ...(status === 202 ? { location: `${baseUrl}/projects/${run.projectId}/runs/${run.id}` } : {}),
    },
  };
}

export function runEndpoints(peers: RunPeers): Endpoint[] {
  return [...historyEndpoints(peers), ...oneRunEndpoints(peers), pagesEndpoint(peers)];
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

    endpoint(routes.startRun, async ({ params, body, baseUrl, call, requestId }) => {
      const asked = { projectId: checkedProjectId(params.id), trigger: body.trigger };
      const { run } = await projects.call(Rpc.startRun, asked, call);
      return answer(gotRun(run), 202, baseUrl, requestId);
    }),
  ];
}

function oneRunEndpoints({ projects, crawl }: RunPeers): Endpoint[] {
  return [
    endpoint(routes.getRun, async ({ params, baseUrl, call, requestId }) => {
      const { run } = await projects.call(Rpc.getRun, { ...checkedRun(params), withLog: false }, call);
      return answer(gotRun(run), 200, baseUrl, requestId);
    }),

    endpoint(routes.cancelRun, async ({ params, baseUrl, call, requestId }) => {
      const { run } = await projects.call(Rpc.cancelRun, checkedRun(params), call);
      return answer(gotRun(run), 200, baseUrl, requestId);
    }),

    endpoint(routes.listRunLinks, async ({ params, query, baseUrl, call }) => {
      const { run } = await projects.call(Rpc.getRun, { ...checkedRun(params), withLog: false }, call);
      const { id, projectId } = gotRun(run);
      const path = `${baseUrl}/projects/${projectId}/runs/${id}/links`;
      return { status: 200, body: await readLinkSet(crawl, { id, path, ...query }, call) };
    }),
  ];
}

/** The newest run that stands for the site: finished, and no recrawl of single pages. */
async function latestFinished(projects: Peer, projectId: string, call: CallContext): Promise<Run | undefined> {
  const asked = { projectId, status: 'done', limit: RECENT_RUNS, cursor: '', fullOnly: true };
  const { runs } = await projects.call(Rpc.listRuns, asked, call);
  return runs.find(({ trigger }) => trigger !== 'recrawl');
}

function pagesEndpoint({ projects, crawl, archive }: RunPeers): Endpoint {
  const reader = new RunReader(crawl, archive);
  return endpoint(routes.listPages, async ({ params, query, baseUrl, call, requestId }) => {
    const { run_id: runId, v, flag, limit } = query;
    const projectId = checkedProjectId(params.id);
    const slice = { after: checkedNumber(query.cursor), limit };
    const run =
      runId === undefined
        ? await latestFinished(projects, projectId, call)
        : gotRun(
            (await projects.call(Rpc.getRun, { ...checkedRun({ id: projectId, run: runId }), withLog: false }, call))
              .run,
          );
    const around = { creditsUsed: 0, request_id: requestId };
    if (run === undefined) return { status: 200, body: { data: [], next: null, cursor: null, runId: null, ...around } };
    const links = pageLinks(baseUrl, run.id, 'crawl');
    const { rows, last, isMore } = await listPages(reader, { run, slice, filter: { v, flag }, links }, call);
    const chosen = `${v === undefined ? '' : `&v=${v}`}${flag === undefined ? '' : `&flag=${flag}`}`;
    const next = isMore ? `${pagesUrl(baseUrl, run)}&limit=${limit}${chosen}&cursor=${last}` : null;
    const cursor = isMore ? String(last) : null;
    return { status: 200, body: { data: rows, next, cursor, runId: run.id, ...around } };
  });
}
