import type { RequestHandler } from 'express';

const EXPOSED =
  'X-Request-Id, X-Service-Credits, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, Location';
const ALLOWED = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id, x-service-tenant';

/** Allows browsers of any origin to call with an API key. No cookies are used, so a request has only the permissions of its key. */
export const cors: RequestHandler = (request, response, next) => {
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
