import { AppError, nameOf } from '@tidemark/errors';
import { isDatabaseUnavailable, type Logger } from '@tidemark/service';
import type { ErrorRequestHandler } from 'express';
import { requestIdOf } from './request-id.ts';

const BUSY_RETRY_SECONDS = 2;

/** Returns the `type` of an error of express's body parser; empty for other errors. */
function kindOf(error: unknown): string {
  const type: unknown = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  return typeof type === 'string' ? type : '';
}

/** Converts any error to the AppError that is sent to the client. */
export function toAppError(error: unknown, maxBodyBytes: number): AppError {
  if (error instanceof AppError) return error;
  const kind = kindOf(error);
  if (kind === 'entity.too.large') return new AppError('too_large', `the body is larger than ${maxBodyBytes} bytes`);
  if (kind === 'entity.parse.failed')
    return new AppError('validation', 'the body is not valid JSON', { httpStatus: 400 });
  if (kind === 'encoding.unsupported' || kind === 'charset.unsupported')
    return new AppError('validation', 'send the body as UTF-8 JSON without a content encoding', { httpStatus: 400 });
  if (nameOf(error) === 'URIError')
    return new AppError('validation', 'the path contains an invalid percent escape', { httpStatus: 400 });
  if (kind !== '') return new AppError('validation', 'the request could not be read', { httpStatus: 400 });
  if (isDatabaseUnavailable(error))
    return new AppError('unavailable', 'a required service is temporarily unavailable; try again shortly', {
      retryAfterSeconds: 1,
    });
  return new AppError('internal', 'internal server error; the request_id identifies this request in the logs');
}

/** Returns the seconds of Retry-After, which the document declares for 429 and 503. A 503 of a busy service may state none. */
function retryAfterOf({ httpStatus, retryAfterSeconds = BUSY_RETRY_SECONDS }: AppError): number | undefined {
  return httpStatus === 429 || httpStatus === 503 ? retryAfterSeconds : undefined;
}

/** Sends every error as `{error, code, request_id}`. */
export function errorEnvelope(log: Logger, maxBodyBytes: number): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    const appError = toAppError(error, maxBodyBytes);
    const requestId = requestIdOf(response);
    if (appError.code === 'internal') log.error({ err: error, request_id: requestId }, 'a request failed unexpectedly');
    const retryAfterSeconds = retryAfterOf(appError);
    if (retryAfterSeconds !== undefined) response.set('retry-after', String(Math.max(1, Math.ceil(retryAfterSeconds))));
    if (appError.code === 'unauthorized') response.set('www-authenticate', 'Bearer realm="tidemark"');
    response.locals['outcome'] = appError.code;
    response.locals['message'] = appError.message;
    response.status(appError.httpStatus).json({
      error: appError.message,
      code: appError.code,
      request_id: requestId,
      ...(appError.detail === undefined ? {} : { detail: appError.detail }),
    });
  };
}
