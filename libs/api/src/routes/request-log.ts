import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Cursor, limit, listOf, wholeList } from '../schemas/parts.ts';
import { FailureGroup, LoggedRequest } from '../schemas/request-log.ts';

const filter = {
  key: z
    .string()
    .regex(/^key_[0-9a-z]{26}$/, 'expected the id of a key, such as key_01j…')
    .optional()
    .describe('Requests of this key, such as key_01j…'),
  code: z
    .string()
    .regex(/^[a-z_]+$/, 'expected a code of errors, such as rate_limited')
    .max(60)
    .optional()
    .describe('Code of the error, such as rate_limited'),
  route: z.string().min(1).max(120).optional().describe('The route, such as POST /v1/scrape'),
  from: Time.optional().describe('Requests from this time on'),
  to: Time.optional().describe('Requests before this time'),
};

const around = { tag: 'Request log', method: 'get', scope: 'read', params: nothing, body: nothing } as const;

export const requestLogRoutes = {
  listRequests: route({
    ...around,
    id: 'listRequests',
    path: '/me/requests',
    summary: 'Requests of the keys of the workspace, newest first',
    description:
      'Each request that was sent with an API key or an access token of an agent, whatever its result: status, error, duration, request id and credits. Bodies and queries are never stored. A request appears within three seconds and is kept for a week, unless the operator has set another time. Requests of signed-in people and reads of this log are not in it. A key that is restricted to projects gets its own requests. After a crash of a gateway the last second of its requests may be missing.',
    query: z.strictObject({
      ...filter,
      status: z
        .string()
        .regex(/^([1-5]xx|[1-5]\d\d|failed)$/, 'expected a status such as 404, a class such as 4xx, or failed')
        .optional()
        .describe('A status such as 404, a class such as 4xx, or `failed` for 400 and above'),
      request_id: z.string().min(1).max(128).optional().describe('The request with this id (X-Request-Id)'),
      cursor: Cursor,
      limit: limit(100, 1_000),
    }),
    responses: { 200: listOf(LoggedRequest) },
  }),
  groupFailures: route({
    ...around,
    id: 'groupFailures',
    path: '/me/requests/failures',
    summary: 'Failed requests by route, status and code, most frequent first',
    description: 'At most 100 groups, each with the message and the request id of its latest request.',
    query: z.strictObject(filter),
    responses: {
      200: z.object({ data: z.array(FailureGroup), ...wholeList, creditsUsed: z.int(), request_id: z.string() }),
    },
  }),
} as const;
