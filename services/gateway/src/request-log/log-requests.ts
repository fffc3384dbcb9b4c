import { newId } from '@tidemark/contracts';
import type { LoggedRequest } from '@tidemark/contracts/identity/v1/requests';
import type { Request, RequestHandler, Response } from 'express';
import { callerOfResponse } from '../http/check-key.ts';
import { requestIdOf } from '../middleware/request-id.ts';

/** Characters of a path, a message and a user agent that are stored. */
const MAX_TEXT = 300;
const MAX_USER_AGENT = 120;
/** Reads of the log itself, because `tidemark logs --tail` would show its own polls, and feeds, whose paths contain a secret. */
const NOT_LOGGED = /^\/v1\/(?:me\/requests|feeds)(?:\/|$)/i;

/** Logs each request of an API key when its response has ended. Other requests pay for one comparison. */
export function logRequests({ add }: { readonly add: (request: LoggedRequest) => void }): RequestHandler {
  return (request, response, next) => {
    if (request.get('authorization') === undefined || NOT_LOGGED.test(request.path)) return next();
    const at = new Date();
    const startedAtMs = performance.now();
    response.on('close', () => {
      const caller = callerOfResponse(response);
      if (caller?.kind !== 'key') return;
      const { workspaceId, keyId } = caller;
      const durationMs = Math.round(performance.now() - startedAtMs);
      add({ ...describe(request, response), id: newId('rql'), at, workspaceId, keyId, durationMs });
    });
    next();
  };
}

type Described = Omit<LoggedRequest, 'id' | 'at' | 'workspaceId' | 'keyId' | 'keyName' | 'durationMs'>;

function describe(request: Request, response: Response): Described {
  // A later read of a job has the header too, and spends nothing.
  const credits = request.method === 'POST' ? response.get('x-service-credits') : undefined;
  const outcome = textOf(response.locals['outcome']) || (response.writableFinished ? '' : 'gone');
  return {
    route: textOf(response.locals['route']),
    method: request.method.slice(0, 16),
    path: bounded(request.originalUrl.split('?', 1)[0] ?? '', MAX_TEXT),
    status: response.statusCode,
    code: outcome,
    message: bounded(textOf(response.locals['message']), MAX_TEXT),
    requestId: requestIdOf(response),
    credits: credits === undefined ? undefined : Number(credits),
    userAgent: bounded(request.get('user-agent') ?? '', MAX_USER_AGENT),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the beginning of a text without control characters, which PostgreSQL does not store (NUL) or a terminal obeys. */
export const bounded = (text: string, max: number): string =>
  text
    .slice(0, max)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ');
