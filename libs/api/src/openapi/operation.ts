import { type AnyRoute, acceptsBody, isConditional } from '../route.ts';
import type { ErrorResponses } from './error-responses.ts';
import { exampleOfSchema, isJob } from './example.ts';
import { FILE_HEADERS, type HeaderName, headersOf, RATE_HEADERS } from './headers.ts';
import { asObject, type Json, resolve } from './json-schema.ts';
import { parametersOf } from './parameters.ts';
import { type Components, schemaOf } from './schema-of.ts';

/** Parts of the document that operations share. */
export interface Shared {
  readonly components: Components;
  readonly errors: ErrorResponses;
  /** Methods of each path. */
  readonly methods: ReadonlyMap<string, readonly string[]>;
}

const STREAM_EXAMPLE = `event: progress
data: {"done":1,"total":12,"queued":11,"creditsUsed":1,"status":"running"}

event: done
data: {"done":12,"total":12,"queued":0,"creditsUsed":12,"status":"done"}

`;

const ATOM_EXAMPLE = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Changes of Example</title>
  <entry>
    <title>Page changed: Plans</title>
    <link href="https://example.com/pricing"/>
    <updated>2026-11-21T09:30:00.000Z</updated>
  </entry>
</feed>
`;

const FILE_EXAMPLE = `{"url":"https://example.com/pricing","title":"Plans and prices","verdict":"ok","words":412}
`;

const TEXT_EXAMPLES: Readonly<Record<string, string>> = {
  'text/event-stream': STREAM_EXAMPLE,
  'application/atom+xml': ATOM_EXAMPLE,
  'application/octet-stream': FILE_EXAMPLE,
  'application/x-ndjson': FILE_EXAMPLE,
  'text/html':
    '<!doctype html><html lang="en"><head><title>Tax invoice TM/26-27/000001</title></head><body>…</body></html>',
};

/** Types of files, besides bytes: one for each format and compression of an export. */
const FILE_TYPES = [
  'application/x-ndjson',
  'text/csv',
  'text/plain',
  'application/vnd.apache.parquet',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/zip',
  'application/gzip',
  'application/zstd',
];

/** Returns the description of a body that is not JSON. An image is bytes and has no schema (OpenAPI 3.1 section 4.8.14.3). */
function mediaTypeOf(type: string): Json {
  const example = TEXT_EXAMPLES[type];
  return example === undefined ? {} : { schema: { type: 'string' }, example };
}

function contentOf(route: AnyRoute, status: number, { components }: Shared): Json {
  const { path, produces, alsoProduces = [], responses } = route;
  const files = produces === 'application/octet-stream' ? FILE_TYPES : [];
  const others = [...(produces === undefined ? [] : [produces]), ...alsoProduces, ...files].map((type) => [
    type,
    mediaTypeOf(type),
  ]);
  const schema = responses[status];
  if (produces !== undefined || schema === undefined)
    return others.length === 0 ? {} : { content: Object.fromEntries(others) };
  const json = schemaOf(schema, 'output', components);
  const sample = exampleOfSchema(json, components, { path, status });
  const example = route.exampleState === undefined ? sample : { ...asObject(sample), ...route.exampleState };
  return { content: { 'application/json': { schema: json, example }, ...Object.fromEntries(others) } };
}

/** Returns the headers of a success besides those of every response. */
function headerNames(route: AnyRoute, status: number, { components }: Shared): HeaderName[] {
  const schema = route.responses[status];
  const json = schema === undefined ? {} : resolve(schemaOf(schema, 'output', components), components);
  return [
    ...RATE_HEADERS,
    ...(isJob(asObject(json['properties'])) ? (['X-Service-Credits'] as const) : []),
    ...(status === 201 || status === 202 ? (['Location'] as const) : []),
    ...(route.idempotent ? (['Idempotent-Replayed'] as const) : []),
    ...(route.produces === 'application/octet-stream' ? FILE_HEADERS : []),
    ...(isConditional(route) ? (['ETag'] as const) : []),
  ];
}

const SUCCESSES: Readonly<Record<number, string>> = {
  200: 'The request was fulfilled',
  201: 'Created',
  202: 'Accepted: the work continues after the response',
  204: 'Done; the response has no body',
};

/** The response to a conditional request for a document that has not changed (RFC 9110 section 15.4.5). */
const UNCHANGED = {
  304: {
    description: 'The document is unchanged since the version in If-None-Match; the response has no body',
    headers: headersOf([...RATE_HEADERS, 'ETag']),
  },
};

function successesOf(route: AnyRoute, shared: Shared): Json {
  const successes = Object.fromEntries(
    Object.keys(route.responses).map((text) => {
      const status = Number(text);
      const headers = headersOf(headerNames(route, status, shared));
      const description = SUCCESSES[status] ?? route.summary;
      return [text, { description, headers, ...contentOf(route, status, shared) }];
    }),
  );
  return isConditional(route) ? { ...successes, ...UNCHANGED } : successes;
}

/** A body may be left out if an empty object is valid. */
function bodyOf(route: AnyRoute, components: Components): Json {
  if (!acceptsBody(route)) return {};
  const schema = schemaOf(route.body, 'input', components);
  const example = route.example ?? exampleOfSchema(schema, components, { path: route.path });
  const required = route.needsBody === true || !route.body.safeParse({}).success;
  return { requestBody: { required, content: { 'application/json': { schema, example } } } };
}

function descriptionOf({ summary, description, reach, scope }: AnyRoute): string {
  const parts = [
    description ?? `${summary}.`,
    reach === 'workspace' ? 'Keys that are restricted to projects get 403 `forbidden`.' : '',
    scope === 'public' ? '' : `Required scope: \`${scope}\`.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Returns the operation of a route. */
export function operationOf(route: AnyRoute, shared: Shared): Json {
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(route),
    'x-scope': route.scope,
    // The routes of people refuse every key.
    ...(route.session?.only === true ? { 'x-caller': 'person' } : {}),
    ...(route.scope === 'public' ? { security: [] } : {}),
    parameters: parametersOf(route, shared.components),
    ...bodyOf(route, shared.components),
    responses: { ...successesOf(route, shared), ...shared.errors.of(route, shared.methods.get(route.path) ?? []) },
  };
}
