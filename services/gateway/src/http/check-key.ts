import { AppError } from '@tidemark/errors';
import { REST_CREDENTIAL_HEADER } from '@tidemark/service';
import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../middleware/authenticate.ts';
import { type Authenticated, limitedId } from '../middleware/authenticated.ts';
import type { RateLimiter, RateSubject } from '../middleware/rate-limit.ts';
import { requestIdOf } from '../middleware/request-id.ts';
import type { SessionCookie } from '../middleware/session-cookie.ts';
import { clientGroup } from './trusted-proxies.ts';

export interface KeyCheck {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly cookie: SessionCookie;
  /** Returns whether the MCP endpoint sent a request with this credential. Undefined: there is no such endpoint. */
  readonly isFromMcp?: ((credential: string | undefined) => boolean) | undefined;
}

/** The caller of each response, or the reason why there is none. */
const results = new WeakMap<Response, Authenticated | { readonly refusal: unknown }>();

/** The caller of each response in the workspace that its request entered. */
const entered = new WeakMap<Response, Authenticated>();

/** Records in which workspace a request acts: its own, or a sub-account. */
export const recordEntered = (response: Response, auth: Authenticated): void => void entered.set(response, auth);

/** Returns the caller of a response; undefined: none was authenticated. */
export function callerOfResponse(response: Response): Authenticated['caller'] {
  const own = results.get(response);
  return entered.get(response)?.caller ?? (own === undefined || 'refusal' in own ? undefined : own.caller);
}

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
    if (!('refusal' in auth)) await countRequest(subjectOf(auth), response, options);
    next();
  };
}

/** Returns the caller of a request. @throws AppError unauthorized, unavailable, rate_limited */
export async function requireKey(request: Request, response: Response, options: KeyCheck): Promise<Authenticated> {
  const result = results.get(response) ?? (await authenticateRequest(request, response, options));
  if ('refusal' in result) throw result.refusal;
  return result;
}

/**
 * Authenticates a request, also again while its stream is open. Access tokens of applications are issued for the MCP endpoint (RFC 8707), and
 * are refused unless it sent the request. @throws AppError unauthorized, unavailable, rate_limited
 */
export async function authenticateRequest(
  request: Request,
  response: Response,
  { authenticator, cookie, isFromMcp }: KeyCheck,
): Promise<Authenticated> {
  const presented = { authorization: request.get('authorization'), sessionToken: cookie.tokenOf(request) };
  const auth = await authenticator.authenticate(presented, requestIdOf(response), clientGroup(request.ip ?? ''));
  if (auth.isGrant && isFromMcp?.(request.get(REST_CREDENTIAL_HEADER)) !== true)
    throw new AppError(
      'unauthorized',
      'this access token was issued for the MCP endpoint and is not an API key: send a key from POST /v1/me/keys',
    );
  return auth;
}

/** A request to be counted, and the owner of its window as errors name it. */
export type CountedRequest = RateSubject & { readonly owner: string };

function subjectOf(auth: Authenticated): CountedRequest {
  const keyId = limitedId(auth);
  // A person without a workspace has a window of their own.
  const workspaceId = auth.caller?.workspaceId ?? keyId;
  return {
    workspaceId,
    keyId,
    keyRpm: auth.rpm,
    workspaceRpm: auth.workspaceRpm,
    owner: auth.person === undefined ? 'key' : 'person',
  };
}

/** Counts a request in its rate window, whose state becomes headers of the response. @throws AppError rate_limited */
export async function countRequest(
  subject: CountedRequest,
  response: Response,
  { limiter }: Pick<KeyCheck, 'limiter'>,
): Promise<void> {
  const window = await limiter.take(subject);
  response.set({
    'x-ratelimit-limit': String(window.limit),
    'x-ratelimit-remaining': String(window.remaining),
    'x-ratelimit-reset': String(window.resetSeconds),
  });
  if (!window.exceeded) return;
  const of = window.of === 'key' ? subject.owner : window.of;
  throw new AppError(
    'rate_limited',
    `the rate limit of this ${of} is ${window.limit} requests per minute; try again in ${window.resetSeconds} s`,
    { retryAfterSeconds: window.resetSeconds },
  );
}
