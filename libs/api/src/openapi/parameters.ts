import type { z } from 'zod';
import { EXAMPLE_IDS, exampleOfParameter } from '../example-ids.ts';
import { type AnyRoute, isConditional } from '../route.ts';
import { exampleOfSchema } from './example.ts';
import { asList, asObject, asText, type Json } from './json-schema.ts';
import { type Components, schemaOf } from './schema-of.ts';

/** Headers that every operation accepts. */
const SHARED = {
  'x-service-tenant': {
    name: 'x-service-tenant',
    in: 'header',
    required: false,
    description: 'Id of the workspace to act in: the own one, or a sub-account of it. Any other answers 404.',
    schema: { type: 'string' },
    example: EXAMPLE_IDS['ws'],
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description: 'Id of the request, 1 to 128 of the characters `A-Z a-z 0-9 _ . : / + = -`; the response returns it.',
    schema: { type: 'string' },
    example: EXAMPLE_IDS['req'],
  },
} as const;

/** The headers that every operation accepts, as components of the document. */
export const parameterComponents = (): Json => SHARED;

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description: 'Valid for 24 hours: a repeated request gets the first status and body',
};

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The ETag of an earlier response: an unchanged document is answered with 304 and no body',
};

/** Returns the parameters of an operation. Path and required query parameters have an example. */
export function parametersOf(route: AnyRoute, components: Components): Json[] {
  const from = (where: 'path' | 'query', schema: z.ZodType): Json[] => {
    const json = schemaOf(schema, 'input', components);
    const required = asList(json['required']);
    return Object.entries(asObject(json['properties'])).map(([name, part]) => {
      const isRequired = where === 'path' || required.includes(name);
      const { description, ...rest } = asObject(part);
      const example = isRequired ? exampleOf(route.path, name, asObject(part), components) : undefined;
      return {
        name,
        in: where,
        required: isRequired,
        schema: rest,
        ...(description === undefined ? {} : { description }),
        ...(example === undefined ? {} : { example }),
      };
    });
  };
  return [
    ...from('path', route.params),
    ...from('query', route.query),
    ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
    ...(isConditional(route) ? [IF_NONE_MATCH] : []),
    ...Object.keys(SHARED).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function exampleOf(path: string, name: string, schema: Json, components: Components): unknown {
  const id = path.includes(`{${name}}`) ? exampleOfParameter(path, name, asText(schema['description'])) : undefined;
  if (id !== undefined) return id;
  const value = exampleOfSchema({ type: 'object', properties: { [name]: schema }, required: [name] }, components, {
    path,
  });
  return asObject(value)[name];
}
