import { routes } from '@tidemark/api';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { findRun } from '../../queries/find-run.ts';
import { requireProject } from '../../queries/require-project.ts';
import { isOver } from '../../queries/run-reader.ts';
import { noSuchId } from '../../requests/checked-id.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';
import { alertEndpoint } from './alert-endpoint.ts';
import { recordInProgress, toChange, toRecord } from './change-response.ts';
import { changesEndpoint } from './changes-endpoint.ts';
import { compareEndpoints } from './compare-endpoints.ts';
import { ignoredEndpoints } from './ignored-endpoints.ts';
import { readFeed } from './read-feed.ts';
import { screenshotEndpoint } from './screenshot-endpoint.ts';

export interface ChangePeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly diff: Peer;
}

const CHANGE_ID = /^chg_[a-z2-9]{26}$/;

export function changeEndpoints(peers: ChangePeers): Endpoint[] {
  return [
    changesEndpoint(peers),
    alertEndpoint(peers),
    recordEndpoint(peers),
    reviewEndpoint(peers),
    bulkReviewEndpoint(peers),
    feedEndpoint(peers),
    ...ignoredEndpoints(peers),
    ...compareEndpoints(peers),
    screenshotEndpoint(peers),
  ];
}

function recordEndpoint({ projects, diff }: ChangePeers): Endpoint {
  return endpoint(routes.getChanges, async ({ params, query, baseUrl, call, requestId, cursors }) => {
    const { kind, unreviewed, limit, run_id: runId } = query;
    const after = cursors.openNumber(query.cursor);
    const { id: projectId } = await requireProject(projects, params.id, call);
    const run = await findRun(projects, { id: projectId, runId }, call);
    if (run === undefined) {
      const none = { ...toRecord(undefined), entries: [], next: null, cursor: null, request_id: requestId };
      return { status: 200, body: none };
    }
    const request = { projectId, runId: run.id, after, limit, kind, unreviewed };
    const { record, entries, last, isMore } = await diff.call(Rpc.getRecord, request, call);
    const at = `${baseUrl}/projects/${projectId}/changes?run_id=${run.id}&limit=${limit}`;
    const filters = `${kind === undefined ? '' : `&kind=${kind}`}${unreviewed ? '&unreviewed=true' : ''}`;
    const body = {
      ...(record === undefined && isOver(run) ? recordInProgress(run.id) : toRecord(record)),
      entries: entries.map(toChange),
      ...cursors.nextPage(`${at}${filters}`, isMore ? last : undefined),
      request_id: requestId,
    };
    return { status: 200, body };
  });
}

function reviewEndpoint({ projects, diff }: ChangePeers): Endpoint {
  return endpoint(routes.reviewChange, async ({ params, body, call, requestId }) => {
    const { id: projectId } = await requireProject(projects, params.id, call);
    if (!CHANGE_ID.test(params.change)) throw noSuchId('chg', params.change, 'change');
    const request = { projectId, entryId: params.change, reviewed: body.reviewed };
    const { entry } = await diff.call(Rpc.reviewEntry, request, call);
    if (entry === undefined) throw new AppError('internal', 'diff returned no entry');
    return { status: 200, body: { ...toChange(entry), creditsUsed: 0, request_id: requestId } };
  });
}

function bulkReviewEndpoint({ projects, diff }: ChangePeers): Endpoint {
  return endpoint(routes.reviewChanges, async ({ params, body, call, requestId }) => {
    const { id: projectId } = await requireProject(projects, params.id, call);
    const { run_id: runId, kind, change_ids: entryIds = [], reviewed } = body;
    const run = await findRun(projects, { id: projectId, runId }, call);
    const around = { creditsUsed: 0, request_id: requestId };
    if (run === undefined) return { status: 200, body: { runId: null, matched: 0, changed: 0, ...around } };
    const request = { projectId, runId: run.id, kind, entryIds, reviewed };
    const { runId: of, matched, changed } = await diff.call(Rpc.reviewEntries, request, call);
    return { status: 200, body: { runId: of ?? null, matched, changed, ...around } };
  });
}

function feedEndpoint({ projects, diff }: ChangePeers): Endpoint {
  return endpoint(routes.changesFeed, async ({ params, query, baseUrl, call }) => {
    const projectId = checkedProjectId(params.id);
    const self = `${baseUrl}/projects/${projectId}/changes.atom`;
    return readFeed({ projects, diff }, { projectId, limit: query.limit, baseUrl, self }, call);
  });
}
