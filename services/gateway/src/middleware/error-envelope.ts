import { AppError, nameOf } from '@tidemark/errors';
import { isDatabaseAway, type Logger } from '@tidemark/service';
import type { ErrorRequestHandler } from 'express';
import { requestIdOf } from './request-id.ts';

/** Reads `type` of the errors express's own body reader makes. */
function kindOf(error: unknown): string {
  const type: unknown = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  return typeof type === 'string' ? type : '';
}

/** Whatever went wrong, as the one error a caller is told. */
export function toAppError(error: unknown, maxBodyBytes: number): AppError {
  if (error instanceof AppError) return error;
  const kind = kindOf(error);
  if (kind === 'entity.too.large') return new AppError('too_large', `the body is larger than ${maxBodyBytes} bytes`);
  if (kind === 'entity.parse.failed')
    return new AppError('validation', 'the body is not valid JSON', { httpStatus: 400 });
  if (kind === 'encoding.unsupported' || kind === 'charset.unsupported')
    return new AppError('validation', 'send the body as plain UTF-8 JSON, without an encoding', { httpStatus: 400 });
  if (nameOf(error) === 'URIError')
    return new AppError('validation', 'the path holds a broken percent escape', { httpStatus: 400 });
  if (kind !== '') return new AppError('validation', 'the request could not be read', { httpStatus: 400 });
  if (isDatabaseAway(error))
    return new AppError('unavailable', 'something we need does not answer at the moment; try again shortly', {
      retryAfterSeconds: 1,
    });
  return new AppError('internal', 'something went wrong on our side; the request_id names this request in our logs');
}

/** Renders every failure as `{error, code, request_id}`. */
export function errorEnvelope(log: Logger, maxBodyBytes: number): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    const told = toAppError(error, maxBodyBytes);
    const requestId = requestIdOf(response);
    if (told.code === 'internal') log.error({ err: error, request_id: requestId }, 'a request failed unexpectedly');
    if (told.retryAfterSeconds !== undefined)
      response.set('retry-after', String(Math.max(1, Math.ceil(told.retryAfterSeconds))));
    if (told.code === 'unauthorized') response.set('www-authenticate', 'Bearer realm="tidemark"');
    response.locals['outcome'] = told.code;
    response.status(told.httpStatus).json({
      error: told.message,
      code: told.code,
      request_id: requestId,
      ...(told.detail === undefined ? {} : { detail: told.detail }),
    });
  };
}
