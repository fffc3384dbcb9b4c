import { type FailureGroup, type LoggedRequest, routes } from '@tidemark/api';
import { textOrEmpty } from '@tidemark/contracts';
import {
  type RequestFilter,
  RequestLogServiceService as Rpc,
  type FailureGroup as WireGroup,
  type LoggedRequest as WireRequest,
} from '@tidemark/contracts/identity/v1/requests';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { WHOLE_LIST } from '../../requests/list-cursors.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { statusRange } from './status-range.ts';

interface FilterQuery {
  readonly key?: string | undefined;
  readonly code?: string | undefined;
  readonly route?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Endpoints of the log of requests. */
export function requestLogEndpoints(identity: Peer): Endpoint[] {
  return [
    endpoint(routes.listRequests, async ({ query, baseUrl, call, requestId, cursors }) => {
      const { limit, status, request_id } = query;
      const cursor = cursors.openId('rql', query.cursor);
      const filter = { ...filterOf(query), ...statusRange(status), requestId: request_id };
      const { requests, nextCursor } = await identity.call(Rpc.listRequests, { filter, cursor, limit }, call);
      const { cursor: _, ...sent } = { ...query, limit: String(limit) };
      const nextPage = cursors.nextPage(`${baseUrl}/me/requests?${new URLSearchParams(withValue(sent))}`, nextCursor);
      return {
        status: 200,
        body: { data: requests.map(toRequest), ...nextPage, creditsUsed: 0, request_id: requestId },
      };
    }),

    endpoint(routes.groupFailures, async ({ query, call, requestId }) => {
      const filter = { ...filterOf(query), ...statusRange('failed') };
      const { groups } = await identity.call(Rpc.groupFailures, { filter }, call);
      return { status: 200, body: { data: groups.map(toGroup), ...WHOLE_LIST, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

const filterOf = ({ key, code, route, from, to }: FilterQuery): RequestFilter => ({
  keyId: key,
  code,
  route,
  from: from === undefined ? undefined : new Date(from),
  to: to === undefined ? undefined : new Date(to),
});

const withValue = (parameters: Readonly<Record<string, string | undefined>>): [string, string][] =>
  Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );

const toRequest = (request: WireRequest): LoggedRequest => ({
  id: request.id,
  at: timeOf(request.at),
  keyId: request.keyId,
  key: textOrEmpty(request.keyName),
  method: request.method,
  path: request.path,
  route: request.route ?? null,
  status: request.status,
  code: request.code ?? null,
  message: request.message ?? null,
  durationMs: request.durationMs,
  request_id: request.requestId,
  creditsUsed: request.credits ?? null,
  userAgent: request.userAgent || null,
});

const toGroup = ({
  route,
  status,
  code,
  count,
  keys,
  firstAt,
  lastAt,
  message,
  requestId,
}: WireGroup): FailureGroup => ({
  route: route || null,
  status,
  code,
  count,
  keys,
  firstAt: timeOf(firstAt),
  lastAt: timeOf(lastAt),
  message,
  request_id: requestId,
});
