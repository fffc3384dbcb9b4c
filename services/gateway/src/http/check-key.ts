import { AppError } from '@tidemark/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { Authenticated, Authenticator } from '../middleware/authenticate.ts';
import type { RateLimiter } from '../middleware/rate-limit.ts';
import { requestIdOf } from '../middleware/request-id.ts';
import { clientGroup } from './trusted-proxies.ts';

export interface KeyCheck {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
}

/** The caller of each response, or the reason why there is none. */
const results = new WeakMap<Response, Authenticated | { readonly refusal: unknown }>();

/**
 * Authenticates every request that has a key and counts it in its rate window, before its route is known, so that every response to a
 * valid key states the window: 404 and 405 too. A request without a valid key passes; the routes that require one refuse it.
 * @throws AppError rate_limited
 */
export function checkKey(options: KeyCheck): RequestHandler {
  return async (request, response, next) => {
    if (request.get('authorization') === undefined) return next();
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
export const authenticateRequest = (request: Request, response: Response, { authenticator }: KeyCheck) =>
  authenticator.authenticate(request.get('authorization'), requestIdOf(response), clientGroup(request.ip ?? ''));

async function countRequest(auth: Authenticated, response: Response, { limiter }: KeyCheck): Promise<void> {
  const { workspaceId, keyId } = auth.caller;
  const window = await limiter.take({ workspaceId, keyId, keyRpm: auth.rpm, workspaceRpm: auth.workspaceRpm });
  response.set({
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(window.remaining),
    'x-ratelimit-reset': String(window.resetSeconds),
  });
  if (!window.exceeded) return;
  throw new AppError(
    'rate_limited',
    `the rate limit of this ${window.of} is ${window.limit} requests per minute; try again in ${window.resetSeconds} s`,
    { retryAfterSeconds: window.resetSeconds },
  );
}
