import { AppError } from '@tidemark/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../middleware/authenticate.ts';
import { type Authenticated, limitedId } from '../middleware/authenticated.ts';
import type { RateLimiter } from '../middleware/rate-limit.ts';
import { requestIdOf } from '../middleware/request-id.ts';
import type { SessionCookie } from '../middleware/session-cookie.ts';
import { clientGroup } from './trusted-proxies.ts';

export interface KeyCheck {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly cookie: SessionCookie;
}

/** The caller of each response, or the reason why there is none. */
const results = new WeakMap<Response, Authenticated | { readonly refusal: unknown }>();

/**
 * Authenticates every request that has a key or a session and counts it in its rate window, before its route is known, so that every response
 * to a valid one states the window: 404 and 405 too. A request without a valid one passes; the routes that require one refuse it.
 * @throws AppError rate_limited
 */
export function checkKey(options: KeyCheck): RequestHandler {
  return async (request, response, next) => {
    if (request.get('authorization') === undefined && options.cookie.tokenOf(request) === '') return next();
    const auth = await authenticateRequest(request, response, options).catch((refusal: unknown) => ({ refusal }));
    results.set(response, auth);
    if (!('refusal' in auth)) await countRequest(auth, response, options);
    next();
  };
}

/** Returns the caller of a request. @throws AppError unauthorized, unavailable, rate_limited */
export async function requireKey(request: Request, response: Response, options: KeyCheck): Promise<Authenticated> {
  const result = results.get(response) ?? (await authenticateRequest(request, response, options));
  if ('refusal' in result) throw result.refusal;
  return result;
}

/** Authenticates a request, also again while its stream is open. @throws AppError unauthorized, unavailable, rate_limited */
export function authenticateRequest(
  request: Request,
  response: Response,
  { authenticator, cookie }: KeyCheck,
): Promise<Authenticated> {
  const presented = { authorization: request.get('authorization'), sessionToken: cookie.tokenOf(request) };
  return authenticator.authenticate(presented, requestIdOf(response), clientGroup(request.ip ?? ''));
}

async function countRequest(auth: Authenticated, response: Response, { limiter }: KeyCheck): Promise<void> {
  const keyId = limitedId(auth);
  // A person without a workspace has a window of their own.
  const workspaceId = auth.caller.workspaceId || keyId;
  const window = await limiter.take({ workspaceId, keyId, keyRpm: auth.rpm, workspaceRpm: auth.workspaceRpm });
  response.set({
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(window.remaining),
    'x-ratelimit-reset': String(window.resetSeconds),
  });
  if (!window.exceeded) return;
  const of = window.of === 'key' && auth.person !== undefined ? 'person' : window.of;
  throw new AppError(
    'rate_limited',
    `the rate limit of this ${of} is ${window.limit} requests per minute; try again in ${window.resetSeconds} s`,
    { retryAfterSeconds: window.resetSeconds },
  );
}
