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

/** The error response of Firecrawl's interface: its status and body. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: { readonly success: false; readonly error: string; readonly code: string; readonly details?: unknown };
}

/** Firecrawl answers an invalid request with 400. */
const statusOf = ({ code, httpStatus }: AppError): number => (code === 'validation' ? 400 : httpStatus);

const CODES: Readonly<Record<string, string>> = { validation: 'BAD_REQUEST', internal: 'UNKNOWN_ERROR' };

/** Converts an error to the envelope of Firecrawl. */
export function toErrorAnswer(error: Refusal | AppError): ErrorAnswer {
  const isRefusal = error instanceof Refusal;
  const details = isRefusal ? error.details : error.detail;
  return {
    status: isRefusal ? error.status : statusOf(error),
    body: {
      success: false,
      error: error.message,
      code: isRefusal ? error.code : (CODES[error.code] ?? error.code.toUpperCase()),
      ...(details === undefined ? {} : { details }),
    },
  };
}
