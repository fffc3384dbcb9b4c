import { AppError, CODES, type ErrorCode } from '@tidemark/errors';
import { EXAMPLE_IDS } from '../example-ids.ts';
import type { AnyRoute } from '../route.ts';
import { ScrapeBody } from '../routes/scrape.ts';
import { readPart } from '../validation/read-part.ts';
import { type HeaderName, headersOf, RATE_HEADERS } from './headers.ts';
import type { Json } from './json-schema.ts';
import { type ErrorCause, errorCauses } from './route-errors.ts';

/** Messages of the examples. */
const MESSAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthorized: 'this route requires an API key: send `Authorization: Bearer service_…`',
  credits_exhausted: 'this page costs at least 1 credit, and the workspace has fewer that are not reserved',
  tier_limit: 'no engine of this deployment can read pages under these options',
  plan_limit: 'the limit of the plan is reached',
  forbidden: 'this key is restricted to projects; this route requires a key without that restriction',
  scopes: 'this route requires the scope write; this key has read',
  not_found: 'job not found',
  method_not_allowed: 'PUT is not supported by this path',
  conflict: 'the request conflicts with the state of the resource',
  too_large: 'the body is larger than 1048576 bytes',
  rate_limited: 'the rate limit of this key is 60 requests per minute; try again in 12 s',
  internal: 'internal server error; the request_id identifies this request in the logs',
  unavailable: 'a required service is temporarily unavailable; try again shortly',
};

/** Headers of each error status besides those of every response. */
const HEADERS_OF: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow', ...RATE_HEADERS],
  429: ['Retry-After', ...RATE_HEADERS],
  503: ['Retry-After', ...RATE_HEADERS],
};

/** Returns the error of a real invalid request, so that the example cannot differ from the validation. */
export function invalidExample(): Json {
  try {
    readPart(ScrapeBody, { url: 'https://example.com/', timeout: 500 }, 'body');
  } catch (error) {
    if (error instanceof AppError && error.detail !== undefined)
      return { error: error.message, code: error.code, request_id: EXAMPLE_IDS['req'], detail: error.detail };
  }
  throw new Error('the request of the example is valid');
}

/** Returns the example body of an error. */
function exampleOf({ code, status }: ErrorCause): Json {
  if (status === 422) return invalidExample();
  const error = status === 400 ? 'the body is not valid JSON' : (MESSAGES[code] ?? code);
  return { error, code, request_id: EXAMPLE_IDS['req'] };
}

/** Returns the response of one error status of an operation. */
function errorResponse(
  status: number,
  causes: readonly ErrorCause[],
  { methods, headers }: { methods: readonly string[]; headers: readonly HeaderName[] },
): Json {
  const codes = [...new Set(causes.map(({ code }) => code))];
  const whys = [...new Set(causes.map(({ why }) => why))].join(' ');
  const allow = status === 405 ? ` Supported: ${methods.join(', ')}.` : '';
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { code: { type: 'string', enum: codes } }, required: ['code'] },
    ],
  };
  const examples = Object.fromEntries(
    [...new Map(causes.map((cause) => [cause.code, { summary: cause.why, value: exampleOf(cause) }]))].map(
      ([code, example]) => [code, example],
    ),
  );
  return {
    description: `${whys}${allow}`,
    headers: headersOf(headers),
    content: { 'application/json': { schema, examples } },
  };
}

/** Name of the shared response of a status. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'TooLarge',
  422: 'Invalid',
  429: 'RateLimited',
  500: 'Internal',
  503: 'Unavailable',
};

/** A public route may get 401 for what its body states, such as a wrong password, while the key of the request is valid. */
function headersOfError({ scope }: AnyRoute, status: number): readonly HeaderName[] {
  const headers = HEADERS_OF[status] ?? RATE_HEADERS;
  return status === 401 && scope === 'public' ? [...headers, ...RATE_HEADERS] : headers;
}

/** The error responses of a document. Equal ones are shared; the first of a status has its plain name. */
export class ErrorResponses {
  readonly components: Record<string, Json> = {};
  readonly #names = new Map<string, string>();

  /** Returns the error responses of an operation as references. `methods`: those of its path. */
  of(route: AnyRoute, methods: readonly string[]): Json {
    const responses = [...errorCauses(route)].map(([status, causes]): [string, Json] => {
      const response = errorResponse(status, causes, { methods, headers: headersOfError(route, status) });
      return [String(status), { $ref: `#/components/responses/${this.#nameOf(status, response)}` }];
    });
    return Object.fromEntries(responses);
  }

  #nameOf(status: number, response: Json): string {
    const text = JSON.stringify(response);
    const found = this.#names.get(text);
    if (found !== undefined) return found;
    const plain = NAMES[status] ?? `Error${status}`;
    const count = Object.keys(this.components).filter((name) => name.replace(/\d+$/, '') === plain).length;
    const name = count === 0 ? plain : `${plain}${count + 1}`;
    this.#names.set(text, name);
    this.components[name] = response;
    return name;
  }
}

/** All error codes, for the schema of errors. */
export const ALL_CODES = Object.keys(CODES);
