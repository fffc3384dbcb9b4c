import { asList, asObject, asText, type Json } from '@tidemark/api';
import type { Contract, ContractOperation } from './contract.ts';

const REFERENCE = '#/components/schemas/';

/** The contract calls the schema of errors `Error`, which is a global type. */
export const nameOf = (component: string): string => (component === 'Error' ? 'ErrorBody' : component);

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text);
const keyOf = (name: string): string => (isName(name) ? name : JSON.stringify(name));
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never';
const grouped = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type);

const comment = (text: string, indent: string): string =>
  text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*∕').replaceAll('\n', ' ')} */\n`;

const routeOf = ({ method, path }: ContractOperation): string => `${method} ${path}`;

/** Returns the TypeScript type of a JSON Schema. */
export function typeOf(schema: Json, indent = ''): string {
  const reference = asText(schema['$ref']);
  if (reference.startsWith(REFERENCE)) return nameOf(reference.slice(REFERENCE.length));
  if ('const' in schema) return JSON.stringify(schema['const']);
  if ('enum' in schema) return union(asList(schema['enum']).map((one) => JSON.stringify(one)));
  const choices = [...asList(schema['anyOf']), ...asList(schema['oneOf'])].map(asObject);
  if (choices.length > 0) return union(choices.map((one) => typeOf(one, indent)));
  // Parts that only limit values, such as patterns, have no type of their own.
  const parts = asList(schema['allOf']).map((one) => typeOf(asObject(one), indent));
  const typed = parts.filter((part) => part !== 'unknown');
  if (typed.length > 0) return typed.map(grouped).join(' & ');
  const types = Array.isArray(schema['type']) ? schema['type'].map(asText) : [asText(schema['type'])];
  return union(types.map((type) => typeOfKind(type, schema, indent)));
}

function typeOfKind(type: string, schema: Json, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `${grouped(typeOf(asObject(schema['items']), indent))}[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      return 'unknown';
  }
}

function objectType(schema: Json, indent: string): string {
  const properties = Object.entries(asObject(schema['properties']));
  const { additionalProperties: more } = schema;
  const others = more === false || more === undefined ? undefined : typeOf(asObject(more), indent);
  if (properties.length === 0) return `Record<string, ${others ?? 'never'}>`;
  const inner = `${indent}  `;
  const required = asList(schema['required']);
  const lines = properties.map(([name, part]) => {
    const property = asObject(part);
    const type = typeOf(property, inner);
    const field = required.includes(name) ? `${keyOf(name)}: ${type}` : `${keyOf(name)}?: ${type} | undefined`;
    return `${comment(asText(property['description']), inner)}${inner}${field};\n`;
  });
  // An index signature must admit the types of the named properties.
  const index = others === undefined ? '' : `${inner}[key: string]: unknown;\n`;
  return `{\n${lines.join('')}${index}${indent}}`;
}

function resultOf({ results, isRaw, isEmptyPossible }: ContractOperation): string {
  const others = [...(isRaw ? ['Response'] : []), ...(isEmptyPossible && !isRaw ? ['undefined'] : [])];
  return union([...results.map((schema) => typeOf(schema, '    ')), ...others]);
}

/** Every field of an optional body is optional. */
function operationText(operation: ContractOperation): string {
  const { id, summary, pathParameters, query, body } = operation;
  const fields = [
    `path: ${typeOf(pathParameters, '    ')}`,
    `query: ${typeOf(query, '    ')}`,
    `body: ${body === undefined ? 'never' : typeOf(body, '    ')}`,
    `result: ${resultOf(operation)}`,
  ];
  return `${comment(`${summary} (${id}).`, '  ')}  ${JSON.stringify(routeOf(operation))}: {\n${fields.map((field) => `    ${field};\n`).join('')}  };\n`;
}

const flagOf = ({ isIdempotent, isRaw }: ContractOperation): string | undefined =>
  isIdempotent ? 'key' : isRaw ? 'raw' : undefined;

/** Returns the module with the types of the contract: a type per schema, an entry per operation, and the messages of webhooks. */
export function typescriptOf({ schemas, operations, messages }: Contract): string {
  const types = Object.entries(schemas).map(
    ([name, schema]) =>
      `${comment(asText(schema['description']), '')}export type ${nameOf(name)} = ${typeOf(schema)};\n`,
  );
  const flags = operations.flatMap((operation) => {
    const flag = flagOf(operation);
    return flag === undefined ? [] : [`  ${JSON.stringify(routeOf(operation))}: '${flag}',\n`];
  });
  return [
    '// Generated from the REST contract by tools/clients/generate.ts. Do not edit.\n',
    ...types,
    `/** Webhook messages by event. */\nexport interface Messages {\n${Object.entries(messages)
      .map(([event, schema]) => `  ${JSON.stringify(event)}: ${typeOf(schema, '  ')};\n`)
      .join('')}}\n`,
    `/** Parameters, body and result of each operation. */\nexport interface Operations {\n${operations.map(operationText).join('')}}\n`,
    `/** key: accepts an Idempotency-Key; raw: can answer with other content than JSON. */\nexport const FLAGS: { readonly [R in keyof Operations]?: 'key' | 'raw' } = {\n${flags.join('')}};\n`,
  ].join('\n');
}
