import type { RequestHandler } from 'express';

const EXPOSED =
  'X-Request-Id, X-Service-Credits, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, Location';
/** Last-Event-ID: only EventSource sends it without permission, and EventSource cannot send a key. */
const ALLOWED =
  'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id, x-service-tenant, MCP-Protocol-Version';

/** Routes of people: pages of other origins have no use for them. */
const OF_SESSIONS = /^\/(v1\/)?auth\//i;

/** Allows browsers of any origin to call with an API key. Without `access-control-allow-credentials` browsers send them no cookie. */
export const cors: RequestHandler = (request, response, next) => {
  if (OF_SESSIONS.test(request.path)) return next();
  response.set({ 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED });
  if (request.method !== 'OPTIONS') return next();
  response
    .set({
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '86400',
    })
    .status(204)
    .end();
};
