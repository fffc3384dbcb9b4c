import { routes } from '@tidemark/api';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { ProjectsServiceService as ProjectsRpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import { checkedNumber } from '../checked-number.ts';
import { checkedProjectId } from '../projects/project-endpoints.ts';
import { checkedRun } from '../runs/asked-run.ts';
import { toChange, toRecord } from './change-answer.ts';
import { compareEndpoints } from './compare-endpoints.ts';
import { screenshotEndpoint } from './screenshot-endpoint.ts';
import { writeFeed } from './write-feed.ts';

export interface ChangePeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly diff: Peer;
}

const CHANGE_ID = /^chg_[a-z2-9]{26}$/;

export function changeEndpoints(peers: ChangePeers): Endpoint[] {
  return [
    recordEndpoint(peers),
    reviewEndpoint(peers),
    feedEndpoint(peers),
    ...compareEndpoints(peers),
    screenshotEndpoint(peers),
  ];
}

/** The project, where the key may see it. @throws AppError not_found */
async function mustSee(projects: Peer, id: string, call: CallContext) {
  const { project } = await projects.call(ProjectsRpc.getProject, { id: checkedProjectId(id) }, call);
  if (project === undefined) throw new AppError('not_found', 'there is no such project');
  return project;
}

function recordEndpoint({ projects, diff }: ChangePeers): Endpoint {
  return endpoint(routes.getChanges, async ({ params, query, baseUrl, call, requestId }) => {
    const { kind = '', unreviewed, limit, run_id: runId } = query;
    const after = checkedNumber(query.cursor);
    const { id: projectId } = await mustSee(projects, params.id, call);
    if (runId !== undefined) {
      const asked = { ...checkedRun({ id: projectId, run: runId }), withLog: false };
      await projects.call(ProjectsRpc.getRun, asked, call);
    }
    const wish = { projectId, runId: runId ?? '', after, limit, kind, unreviewed };
    const { record, entries, last, isMore } = await diff.call(Rpc.getRecord, wish, call);
    const at = `${baseUrl}/projects/${projectId}/changes?run_id=${record?.runId ?? ''}&limit=${limit}`;
    const chosen = `${kind === '' ? '' : `&kind=${kind}`}${unreviewed ? '&unreviewed=true' : ''}`;
    const body = {
      ...toRecord(record),
      entries: entries.map(toChange),
      next: isMore ? `${at}${chosen}&cursor=${last}` : null,
      cursor: isMore ? String(last) : null,
      request_id: requestId,
    };
    return { status: 200, body };
  });
}

function reviewEndpoint({ projects, diff }: ChangePeers): Endpoint {
  return endpoint(routes.reviewChange, async ({ params, body, call, requestId }) => {
    const { id: projectId } = await mustSee(projects, params.id, call);
    if (!CHANGE_ID.test(params.change)) throw new AppError('not_found', 'there is no such change');
    const wish = { projectId, entryId: params.change, reviewed: body.reviewed };
    const { entry } = await diff.call(Rpc.reviewEntry, wish, call);
    if (entry === undefined) throw new AppError('internal', 'a change was reviewed and not told');
    return { status: 200, body: { ...toChange(entry), creditsUsed: 0, request_id: requestId } };
  });
}

function feedEndpoint({ projects, diff }: ChangePeers): Endpoint {
  return endpoint(routes.changesFeed, async ({ params, query, baseUrl, call }) => {
    const project = await mustSee(projects, params.id, call);
    const { entries } = await diff.call(Rpc.listEntries, { projectId: project.id, limit: query.limit }, call);
    return { status: 200, bytes: Buffer.from(writeFeed(project, entries, baseUrl)) };
  });
}
