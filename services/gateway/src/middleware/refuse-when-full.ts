import type { MemoryGuard } from '@tidemark/service';
import type { RequestHandler } from 'express';

const STARTS_WORK: ReadonlySet<string> = new Set(['POST', 'PATCH', 'PUT']);

/**
 * Refuses requests that start work or carry a body while the process is near its memory limit, before the body is read.
 * GET and DELETE stay possible, so that clients can follow and cancel the work that was accepted.
 */
export function refuseWhenFull(guard: Pick<MemoryGuard, 'refusal'>): RequestHandler {
  return (request, _response, next) => {
    const refusal = STARTS_WORK.has(request.method) ? guard.refusal() : undefined;
    if (refusal === undefined) return next();
    request.resume();
    next(refusal);
  };
}
