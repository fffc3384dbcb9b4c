import type { ErrorBody } from './generated/contract.ts';

/**
 * Error codes of the API, and those of the client. network: no response arrived; timeout: no complete response within `timeoutMs`;
 * aborted: the signal of the call aborted; unexpected: the response is not one of this API; stalled_cursor: a list returned the same cursor twice;
 * invalid_path: a path value that no URL can carry.
 */
export type ErrorCode =
  | ErrorBody['code']
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'unexpected'
  | 'stalled_cursor'
  | 'invalid_path'
  | 'invalid_signature';

interface ErrorFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly detail?: ErrorBody['detail'];
  readonly cause?: unknown;
}

/** A request that failed. Programs decide by `code`; `message` is for people. */
export class TidemarkError extends Error {
  override readonly name: string = 'TidemarkError';
  readonly code: ErrorCode;
  /** HTTP status; 0 if no response arrived. */
  readonly status: number;
  /** Identifies the request in the logs of the server. */
  readonly requestId: string | undefined;
  /** Wait that the server demands before the next request, ms. */
  readonly retryAfterMs: number | undefined;
  /** The invalid fields. */
  readonly detail: ErrorBody['detail'];

  constructor({ code, message, status = 0, requestId, retryAfterMs, detail, cause }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.detail = detail;
  }
}

/** A call that its signal aborted. `cause` is the reason of the signal. Its name is that of the errors of aborted web APIs. */
export class AbortedError extends TidemarkError {
  override readonly name = 'AbortError';

  constructor(signal: AbortSignal) {
    super({ code: 'aborted', message: 'the call was aborted by its signal', cause: signal.reason });
  }
}

/** Throws if a signal has aborted. @throws AbortedError */
export function requireActive(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new AbortedError(signal);
}

const isBody = (value: unknown): value is ErrorBody =>
  typeof value === 'object' && value !== null && 'error' in value && 'code' in value;

/** Reads Retry-After, which is a number of seconds or a date (RFC 9110 section 10.2.3). */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Returns the error of a response that is no success. */
export async function errorOf(response: Response): Promise<TidemarkError> {
  const text = await response.text();
  const { status, headers } = response;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy answered; its text is of no use to programs.
  }
  const known = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMs(headers, Date.now()),
  };
  if (isBody(body)) {
    const { code, error: message, request_id, detail } = body;
    return new TidemarkError({ ...known, requestId: known.requestId ?? request_id, code, message, detail });
  }
  const message = `the server answered ${status} without an error body of this API: check the base URL and the proxies`;
  return new TidemarkError({ ...known, code: 'unexpected', message });
}
