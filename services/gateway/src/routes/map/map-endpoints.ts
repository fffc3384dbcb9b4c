import { routes } from '@tidemark/api';
import { MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { requireCaller } from '../../middleware/authenticated.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { sentField, withWorkingScheme } from '../../requests/working-scheme.ts';
import { rowsIn, toMapEnvelope } from '../../responses/map-envelope.ts';

/** Added to the requested wait to get the deadline of a gRPC call, ms. */
const GRACE_MS = 10_000;
const PAGE_LIMIT = 1_000;

export function mapEndpoints(map: Peer): Endpoint[] {
  return [
    endpoint(routes.startMap, async ({ body, baseUrl, call, auth, requestId }, { sentBody, repetition }) => {
      const { idempotencyKey, bodyHash } = repetition;
      const { timeout, url: given, ...options } = body;
      const url = await withWorkingScheme(map, { url: given, sent: sentField(sentBody, 'url') }, call);
      const waitMs = timeout * 1_000;
      const request = { url, options: { ...options, forCrawl: false }, waitMs, idempotencyKey, requestHash: bodyHash };
      const result = await map.call(Rpc.map, request, call, { deadlineMs: waitMs + GRACE_MS });
      const { job, replayed } = result;
      if (job === undefined) throw new AppError('internal', 'map returned no job');
      const isRunning = job.status === 'running' || job.status === 'queued';
      const { workspaceId } = requireCaller(auth);
      const requestIdOfResponse = replayed ? job.requestId : requestId;
      const envelope = { requestId: requestIdOfResponse, workspaceId, baseUrl, after: 0, limit: PAGE_LIMIT };
      return {
        status: isRunning ? 202 : 200,
        body: toMapEnvelope(job, { rows: rowsIn(result.rows), files: result.files }, envelope),
        headers: {
          'x-service-credits': String(job.creditsUsed),
          ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
          ...(isRunning ? { location: `${baseUrl}/map/${job.id}` } : {}),
        },
      };
    }),

    endpoint(
      routes.getMap,
      async ({ params: { id }, query: { cursor, limit }, baseUrl, call, auth, requestId, cursors }) => {
        const after = cursors.openNumber(cursor);
        const { job, files } = await map.call(
          Rpc.getMap,
          { id: checkedId('job', id, 'job'), withFiles: after === 0 },
          call,
        );
        if (job === undefined) throw new AppError('not_found', 'job not found');
        const { rows } = after < job.rows ? await map.call(Rpc.listMapRows, { id, after, limit }, call) : { rows: [] };
        return {
          status: 200,
          body: toMapEnvelope(
            job,
            { rows, files },
            { requestId, workspaceId: requireCaller(auth).workspaceId, baseUrl, after, limit },
          ),
          headers: { 'x-service-credits': String(job.creditsUsed) },
        };
      },
    ),
  ];
}
