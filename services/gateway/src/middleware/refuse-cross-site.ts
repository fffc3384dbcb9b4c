import { AppError } from '@tidemark/errors';
import type { Request, RequestHandler } from 'express';
import type { SessionCookie } from './session-cookie.ts';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** Routes that browsers call without a session, too: a sign-in that another site causes is an attack as well. */
const SESSION_PATH = /^\/v1\/auth\//i;

/**
 * Refuses requests that another site made a browser send with its cookie (CSRF), and such requests to the routes of sessions. Fetch Metadata
 * decides; for browsers that send none, Origin decides. A program that sends neither is no browser. Keys are not affected: no browser adds them.
 */
export function refuseCrossSite(cookie: SessionCookie, publicUrl: string | undefined): RequestHandler {
  const ownOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  return (request, _response, next) => {
    const hasKey = request.get('authorization') !== undefined;
    const isConcerned = !hasKey && (SESSION_PATH.test(request.path) || cookie.tokenOf(request) !== '');
    if (isConcerned && !isAllowed(request, ownOrigin))
      throw new AppError(
        'forbidden',
        'this request was sent by a page of another site; requests with a session must come from this origin, and programs use an API key',
      );
    next();
  };
}

function isAllowed(request: Request, ownOrigin: string | undefined): boolean {
  const site = request.get('sec-fetch-site');
  if (SAFE_METHODS.includes(request.method))
    return site !== 'cross-site' || request.get('sec-fetch-mode') === 'navigate';
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.get('origin');
  return origin === undefined || origin === (ownOrigin ?? `${request.protocol}://${request.get('host')}`);
}
