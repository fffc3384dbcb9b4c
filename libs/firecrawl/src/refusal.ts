import type { AppError } from '@tidemark/errors';

interface RefusalText {
  readonly message: string;
  readonly details?: unknown;
}

/** A refusal in the terms of Firecrawl's interface. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;

  constructor(status: number, code: string, { message, details }: RefusalText) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Refuses an option that has no equivalent. */
export function refuseOption(name: string, instead = ''): never {
  const hint = instead === '' ? 'remove it from the request' : instead;
  throw new Refusal(400, 'UNSUPPORTED_OPTION', { message: `${name} is not supported by this service: ${hint}` });
}

/** Refuses a format that has no equivalent. */
export function refuseFormat(name: string): never {
  throw new Refusal(400, 'UNSUPPORTED_FORMAT', {
    message: `the format ${name.slice(0, 60)} is not supported by this service; supported: markdown, html, rawHtml, links, screenshot, attributes, json`,
  });
}

/** Refuses a value of the wrong type or range. */
export function refuseValue(name: string, expected: string): never {
  throw new Refusal(400, 'BAD_REQUEST', { message: `${name}: expected ${expected}` });
}

/** The error response of Firecrawl's interface. */
export interface ErrorResponse {
  readonly status: number;
  /** Of the statuses 429 and 503. */
  readonly retryAfterSeconds?: number;
  readonly body: { readonly success: false; readonly error: string; readonly code: string; readonly details?: unknown };
}

/** Of a busy service that states no time. */
const BUSY_RETRY_SECONDS = 2;

/** Firecrawl answers an invalid request with 400. A 429 ends the wait of the clients for a job; they try again after a 503. */
function statusOf(error: Refusal | AppError, method: string): number {
  if (error instanceof Refusal) return error.status;
  if (error.code === 'validation') return 400;
  return error.httpStatus === 429 && method === 'GET' ? 503 : error.httpStatus;
}

const CODES: Readonly<Record<string, string>> = { validation: 'BAD_REQUEST', internal: 'UNKNOWN_ERROR' };

/** Converts the error of a request to the envelope of Firecrawl. */
export function toErrorResponse(error: Refusal | AppError, method: string): ErrorResponse {
  const isRefusal = error instanceof Refusal;
  const status = statusOf(error, method);
  const details = isRefusal ? error.details : error.detail;
  const seconds = isRefusal ? undefined : error.retryAfterSeconds;
  return {
    status,
    ...(status === 429 || status === 503
      ? { retryAfterSeconds: Math.max(1, Math.ceil(seconds ?? BUSY_RETRY_SECONDS)) }
      : {}),
    body: {
      success: false,
      error: error.message,
      code: isRefusal ? error.code : (CODES[error.code] ?? error.code.toUpperCase()),
      ...(details === undefined ? {} : { details }),
    },
  };
}
