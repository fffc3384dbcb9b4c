import { z } from 'zod';
import { EVENT_NAMES, EVENTS, type EventName, exampleOf, messageSchema } from './events/message.ts';
import type { AnyRoute } from './route.ts';
import { ErrorBody } from './schemas/parts.ts';

type Json = Record<string, unknown>;

const ERRORS: Readonly<Record<string, string>> = {
  400: 'The body is not JSON, or two fields contradict each other',
  401: 'Missing or bad key',
  402: 'The credits are spent, or the plan does not include the feature',
  403: 'The key lacks the required scope, or is restricted to projects',
  404: 'The resource does not exist or is not visible to the key',
  409: 'The request conflicts with the state of the resource',
  413: 'The request is too large',
  422: 'A field is invalid; `detail` names it',
  429: 'The rate limit is exceeded; see Retry-After',
  500: 'Server error',
  503: 'Temporarily unavailable; see Retry-After',
};

const RATE_HEADERS = Object.fromEntries(
  ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map((name) => [
    name,
    { schema: { type: 'string' } },
  ]),
);

/** Returns the JSON Schema of one part of a route and moves named schemas to `components`. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  for (const [name, part] of Object.entries($defs ?? {})) components[name] = withoutIds(part);
  const id = schema.meta()?.id;
  if (id === undefined) return withoutIds(json);
  // A recursive schema is in its own $defs; the rest of it is then a reference to it.
  if (json['$ref'] === undefined) components[id] = withoutIds(json);
  return { $ref: `#/components/schemas/${id}` };
}

/** Rewrites references from `$defs` (JSON Schema) to `components` (OpenAPI) and removes ids. */
function withoutIds(value: unknown): Json {
  const text = JSON.stringify(value, (key, part: unknown) =>
    key === 'id' && typeof part === 'string' && /^[A-Z]\w+$/.test(part) ? undefined : part,
  );
  const json: unknown = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
  return typeof json === 'object' && json !== null ? { ...json } : {};
}

function parametersOf(route: AnyRoute, components: Json): Json[] {
  const from = (where: 'path' | 'query', schema: z.ZodType): Json[] => {
    const json = schemaOf(schema, 'input', components);
    const required: unknown = json['required'];
    const properties: unknown = json['properties'];
    if (typeof properties !== 'object' || properties === null) return [];
    return Object.entries(properties).map(([name, part]) => ({
      name,
      in: where,
      required: where === 'path' || (Array.isArray(required) && required.includes(name)),
      schema: part,
    }));
  };
  const idempotency = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', maxLength: 255 },
    description: 'Valid for 24 hours: a repeated request gets the first status and body',
  };
  return [...from('path', route.params), ...from('query', route.query), ...(route.idempotent ? [idempotency] : [])];
}

function contentOf({ produces }: AnyRoute, schema: z.ZodType | undefined, components: Json): Json {
  if (produces !== undefined) return { content: { [produces]: { schema: { type: 'string' } } } };
  return schema === undefined
    ? {}
    : { content: { 'application/json': { schema: schemaOf(schema, 'output', components) } } };
}

const reachOf = ({ reach }: AnyRoute): string =>
  reach === 'workspace' ? '\n\nKeys that are restricted to projects get 403 `forbidden`.' : '';

function operationOf(route: AnyRoute, components: Json): Json {
  const responses = Object.fromEntries(
    Object.entries(route.responses).map(([status, schema]) => [
      status,
      {
        description: route.summary,
        headers: RATE_HEADERS,
        ...contentOf(route, schema, components),
      },
    ]),
  );
  const errors = Object.entries(ERRORS).map(([status, description]) => [
    status,
    { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
  ]);
  const hasBody = route.method === 'post' || route.method === 'patch';
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description:
      `${route.description ?? ''}${reachOf(route)}${route.scope === 'public' ? '' : `\n\nRequired scope: \`${route.scope}\`.`}`.trim(),
    'x-scope': route.scope,
    ...(route.scope === 'public' ? { security: [] } : {}),
    parameters: parametersOf(route, components),
    ...(hasBody
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemaOf(route.body, 'input', components),
                ...(route.example === undefined ? {} : { example: route.example }),
              },
            },
          },
        }
      : {}),
    responses: { ...responses, ...Object.fromEntries(errors) },
  };
}

const DELIVERY_RULES = `Respond with 2xx within 10 seconds. After no response, 5xx, 408 or 429 the message is sent again after 1 m, 5 m, 30 m, 2 h, 6 h and 12 h. Any other response, redirects included, fails the delivery at once. A message can arrive more than once, always with the same id.`;

const WEBHOOK_HEADERS: Readonly<Record<string, string>> = {
  'X-Service-Event': 'Name of the event',
  'X-Service-Delivery': 'Id of the delivery, the same for every attempt',
  'X-Service-Signature': '`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the secret as shown',
  'webhook-id': 'Id of the delivery (Standard Webhooks)',
  'webhook-timestamp': 'Time of this attempt, Unix seconds',
  'webhook-signature':
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes after `whsec_`; with both secrets for a day after a rotation',
};

/** Returns the webhook object of one event. */
function webhookOf(name: EventName, components: Json): Json {
  const headers = Object.entries(WEBHOOK_HEADERS).map(([header, description]) => ({
    ...{ name: header, in: 'header', required: true, description, schema: { type: 'string' } },
  }));
  const schema = schemaOf(messageSchema(name), 'output', components);
  return {
    post: {
      operationId: name.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
      tags: ['Webhooks'],
      summary: name,
      description: `${EVENTS[name].description}\n\n${DELIVERY_RULES}`,
      security: [],
      parameters: headers,
      requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(name) } } },
      responses: { '2XX': { description: 'The message was accepted' } },
    },
  };
}

/** Builds the OpenAPI 3.1 document of the whole interface from the routes. */
export function buildOpenApi(routes: readonly AnyRoute[], serverUrl: string): Json {
  const components: Json = { Error: schemaOf(z.object(ErrorBody.shape), 'output', {}) };
  const paths: Record<string, Json> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, components) };
  const webhooks = Object.fromEntries(EVENT_NAMES.map((name) => [name, webhookOf(name, components)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidemark',
      version: '1.0',
      description: 'Clean content from any web address, a verdict on each fetch, and a record of what changed.',
    },
    servers: [{ url: serverUrl }],
    security: [{ key: [] }],
    paths,
    webhooks,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key, such as `service_…`' } },
      schemas: components,
    },
  };
}
