import { asList, asObject, asText, type Json } from '@tidemark/api';
import type { Contract } from './contract.ts';

/** Routes whose fields are options of the command line. */
const ROUTES = [
  'POST /scrape',
  'POST /crawl',
  'GET /crawl',
  'POST /crawl/{id}/keep',
  'POST /map',
  'GET /projects',
  'POST /projects',
  'PATCH /projects/{id}',
  'GET /projects/{id}/runs',
  'GET /changes',
  'GET /projects/{id}/pages',
  'GET /projects/{id}/pages/content',
  'GET /projects/{id}/pages/versions',
  'GET /projects/{id}/pages/blame',
  'POST /projects/{id}/pages/search',
  'GET /projects/{id}/changes',
  'GET /projects/{id}/export',
  'GET /webhooks/deliveries',
  'POST /destinations',
  'PATCH /destinations/{id}',
  'POST /destinations/{id}/sync',
  'POST /projects/{id}/feeds',
  'POST /me/keys',
  'POST /auth/invites',
  'DELETE /auth/members/{user}',
] as const;

const REFERENCE = '#/components/schemas/';

/** Follows references to the schema that they name. */
function resolved(schema: Json, schemas: Contract['schemas']): Json {
  const reference = asText(schema['$ref']);
  return reference.startsWith(REFERENCE)
    ? resolved(asObject(schemas[reference.slice(REFERENCE.length)]), schemas)
    : schema;
}

/** A value that a word of the command line states. Lists of words are separated by commas; everything else is JSON. */
function kindOf(schema: Json): 'boolean' | 'number' | 'list' | 'text' | 'json' {
  if ('enum' in schema || schema['type'] === 'string') return 'text';
  if (schema['type'] === 'boolean') return 'boolean';
  if (schema['type'] === 'integer' || schema['type'] === 'number') return 'number';
  const choices = [schema, ...asList(schema['anyOf']).map(asObject)];
  const isList = choices.some(({ type, items }) => type === 'array' && asObject(items)['type'] === 'string');
  if (isList) return 'list';
  // Null is stated by leaving the option out.
  const [only, ...others] = asList(schema['anyOf'])
    .map(asObject)
    .filter(({ type }) => type !== 'null');
  return only !== undefined && others.length === 0 ? kindOf(only) : 'json';
}

function fieldOf(name: string, schema: Json) {
  const kind = kindOf(schema);
  const choices = asList(schema['enum']);
  const minimum = schema['minimum'];
  return {
    name,
    summary: asText(schema['description']),
    kind,
    ...(choices.length === 0 ? {} : { choices }),
    ...(kind === 'number' && typeof minimum === 'number' ? { minimum } : {}),
  };
}

/** Returns the module with the fields of the query and the body of the routes that the command line has options for. */
export function commandLineOptionsOf({ operations, schemas }: Contract): string {
  const lines = ROUTES.map((route) => {
    const operation = operations.find(({ method, path }) => `${method} ${path}` === route);
    if (operation === undefined) throw new Error(`the contract has no route ${route}`);
    const properties = [operation.query, operation.body ?? {}].flatMap((part) =>
      Object.entries(asObject(resolved(part, schemas)['properties'])),
    );
    const fields = properties.map(([name, schema]) => fieldOf(name, withText(asObject(schema), schemas)));
    return `  ${JSON.stringify(route)}: [\n${fields.map((field) => `    ${JSON.stringify(field)},\n`).join('')}  ],\n`;
  });
  return [
    '// Generated from the REST contract by tools/clients/generate.ts. Do not edit.\n',
    'export interface Field {\n  readonly name: string;\n  readonly summary: string;\n  readonly kind: "boolean" | "number" | "list" | "text" | "json";\n  readonly choices?: readonly string[];\n  readonly minimum?: number;\n}\n',
    `/** Fields of the query and the body of the routes that commands have options for. */\nexport const FIELDS = {\n${lines.join('')}} as const satisfies Readonly<Record<string, readonly Field[]>>;\n`,
  ].join('\n');
}

/** A description beside a reference takes precedence over that of the schema, and both over that of a value beside null. */
function withText(schema: Json, schemas: Contract['schemas']): Json {
  const found = resolved(schema, schemas);
  const value = asList(found['anyOf'])
    .map(asObject)
    .find((one) => one['description'] !== undefined);
  const description = schema['description'] ?? found['description'] ?? value?.['description'];
  return description === undefined ? found : { ...found, description };
}
