import { newId } from '@tidemark/contracts';
import type { RequestHandler, Response } from 'express';

/** What a caller may name its request: it is echoed in headers and logs. */
const ACCEPTABLE = /^[\w.:/+=-]{1,128}$/;

/** Gives every response an X-Request-Id: the caller's where it sent a sane one. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get('x-request-id');
  const id = given !== undefined && ACCEPTABLE.test(given) ? given : newId('req');
  response.locals['requestId'] = id;
  response.set('x-request-id', id);
  next();
};

export function requestIdOf(response: Response): string {
  const id: unknown = response.locals['requestId'];
  return typeof id === 'string' ? id : '';
}
