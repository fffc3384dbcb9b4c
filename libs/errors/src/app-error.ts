import { CODES, type ErrorCode } from './codes.ts';

/** A validation error of one field. `loc`: path of the field; `msg`: sentence for the user; `type`: for programs. */
export interface FieldFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** Field errors, for `validation`. */
  readonly detail?: readonly FieldFault[];
  /** Overrides the status of `CODES`, for codes with two statuses (`validation`: 400 or 422). */
  readonly httpStatus?: number;
  /** Recommended delay before a retry, seconds. */
  readonly retryAfterSeconds?: number;
}

/**
 * The error type that is passed between services in a gRPC trailer. The gateway renders it as `{error, code, request_id}`. The message
 * is for users, the code for programs; neither may contain a secret.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: readonly FieldFault[] | undefined;
  readonly httpStatus: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.detail = options.detail;
    this.httpStatus = options.httpStatus ?? CODES[code].http;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
