import { CODES, type ErrorCode } from './codes.ts';

/** One thing wrong with one field: where it is, what is wrong, and the kind of fault, for programs. */
export interface FieldFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** The fields at fault, for `validation`. */
  readonly detail?: readonly FieldFault[];
  /** Overrides the table's HTTP status where the specification gives a code two of them (`validation`: 400 or 422). */
  readonly httpStatus?: number;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds?: number;
}

/**
 * The one error that crosses services: thrown anywhere, carried in a gRPC trailer, rendered by the gateway as
 * `{error, code, request_id}`. The message is for people, the code is for programs; neither holds a secret.
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
