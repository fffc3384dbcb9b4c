import { newId } from '@tidemark/contracts';
import type { RequestHandler, Response } from 'express';

/** Accepted request ids of clients; they are echoed in headers and logs. */
const ACCEPTABLE = /^[\w.:/+=-]{1,128}$/;

/** Sets X-Request-Id on every response: the client's id if it is valid, otherwise a new one. */
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
