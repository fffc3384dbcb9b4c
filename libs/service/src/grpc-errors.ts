import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { AppError, CODES, type FieldFault, isErrorCode } from '@tidemark/errors';
import { z } from 'zod';
import { isDatabaseUnavailable } from './postgres.ts';

const TRAILER = 'tidemark-error-bin';
const Carried = z.object({
  code: z.string(),
  message: z.string(),
  httpStatus: z.number(),
  retryAfterSeconds: z.number().optional(),
  detail: z
    .array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }))
    .optional(),
});

function unexpected(error: unknown): AppError {
  if (isDatabaseUnavailable(error))
    return new AppError('unavailable', 'the database is unavailable; retry in a second', {
      retryAfterSeconds: 1,
    });
  return new AppError('internal', 'something went wrong on our side');
}

/** Converts an error for gRPC: an `AppError` in full, in a trailer; any other error as `internal`, without its details. */
export function toGrpcError(error: unknown): { code: number; details: string; metadata: Metadata } {
  const appError = error instanceof AppError ? error : unexpected(error);
  const metadata = new Metadata();
  const carried: z.input<typeof Carried> = {
    code: appError.code,
    message: appError.message,
    httpStatus: appError.httpStatus,
    retryAfterSeconds: appError.retryAfterSeconds,
    detail: appError.detail?.map((fault) => ({ loc: [...fault.loc], msg: fault.msg, type: fault.type })),
  };
  metadata.set(TRAILER, Buffer.from(JSON.stringify(carried)));
  return { code: CODES[appError.code].grpc, details: appError.code, metadata };
}

/** Returns the `AppError` the callee threw, or `unavailable` if it could not be reached or did not respond before the deadline. */
export function fromGrpcError(error: ServiceError, service: string): AppError {
  const [trailer] = error.metadata?.get(TRAILER) ?? [];
  if (Buffer.isBuffer(trailer)) {
    const carried = Carried.safeParse(JSON.parse(trailer.toString()));
    if (carried.success && isErrorCode(carried.data.code)) {
      const { code, message, httpStatus, retryAfterSeconds, detail } = carried.data;
      const faults: readonly FieldFault[] | undefined = detail;
      return new AppError(code, message, {
        httpStatus,
        cause: error,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
        ...(faults === undefined ? {} : { detail: faults }),
      });
    }
  }
  if (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED || error.code === status.CANCELLED) {
    return new AppError('unavailable', `${service} is unavailable; retry in a second`, {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  // The guard of a server answers without a trailer. The settings of one of the two services are wrong; the request is not.
  if (error.code === status.UNAUTHENTICATED || error.code === status.PERMISSION_DENIED)
    return new AppError('unavailable', `${service} refused the credential of this service`, { cause: error });
  return new AppError('internal', 'something went wrong on our side', { cause: error });
}
