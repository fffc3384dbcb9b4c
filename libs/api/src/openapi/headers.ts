import { EXAMPLE_IDS } from '../example-ids.ts';
import type { Json } from './json-schema.ts';

interface HeaderDescription {
  readonly description: string;
  readonly schema: Json;
  readonly example: string | number;
  /** Present in every response that lists it. */
  readonly required?: true;
}

/** Response headers of the interface. */
const HEADERS = {
  'X-Request-Id': {
    description: 'Id of the request: the value that the client sent, if it is valid, else a new one',
    schema: { type: 'string' },
    example: EXAMPLE_IDS['req'] ?? '',
    required: true,
  },
  'X-RateLimit-Limit': {
    description: 'Requests per minute allowed; present if the request had a valid key',
    schema: { type: 'integer' },
    example: 3_000,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in this window; present if the request had a valid key',
    schema: { type: 'integer' },
    example: 2_999,
  },
  'X-RateLimit-Reset': {
    description: 'Seconds until the window ends; present if the request had a valid key',
    schema: { type: 'integer' },
    example: 41,
  },
  'X-Service-Credits': {
    description: 'Credits that the job has cost so far, the same as `creditsUsed`',
    schema: { type: 'integer' },
    example: 1,
    required: true,
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
    required: true,
  },
  'WWW-Authenticate': {
    description: 'The accepted scheme (RFC 6750)',
    schema: { type: 'string' },
    example: 'Bearer realm="tidemark"',
    required: true,
  },
  Allow: {
    description: 'Methods of the path (RFC 9110 section 10.2.1)',
    schema: { type: 'string' },
    example: 'GET, DELETE',
    required: true,
  },
  Location: {
    description: 'URL of the new resource',
    schema: { type: 'string', format: 'uri' },
    example: `https://api.example.com/v1/scrape/${EXAMPLE_IDS['job']}`,
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the first response to the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  ETag: {
    description: 'Version of the document, for `If-None-Match`',
    schema: { type: 'string' },
    example: '"f2b1x0k3v9s8d7w6q5p4ab"',
    required: true,
  },
  'Export-Rows': {
    description: 'Number of rows of the file; present if it is known in advance',
    schema: { type: 'integer' },
    example: 412,
  },
  'Export-Complete': {
    description: '`false` if the run has not ended; the file then has the pages that are listed now',
    schema: { type: 'string', enum: ['true', 'false'] },
    example: 'true',
  },
  'Export-Run': {
    description: 'Id of the run whose pages the file has; absent for the datasets changes and sitemap without `run_id`',
    schema: { type: 'string' },
    example: EXAMPLE_IDS['run'] ?? '',
  },
  'Export-Unknown-Urls': {
    description: 'Number of given URLs that the run does not have; present if there are any',
    schema: { type: 'integer' },
    example: 1,
  },
} as const satisfies Readonly<Record<string, HeaderDescription>>;

export type HeaderName = keyof typeof HEADERS;

export const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** Headers of a response with a file. */
export const FILE_HEADERS = ['Export-Rows', 'Export-Complete', 'Export-Run', 'Export-Unknown-Urls'] as const;

/** The headers as components of the document. */
export const headerComponents = (): Json => HEADERS;

/** Returns the headers of one response as references, X-Request-Id included. */
export const headersOf = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(
    (['X-Request-Id', ...names] as const).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
