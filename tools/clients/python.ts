import { asList, asObject, asText, type Json } from '@tidemark/api';
import type { Contract, ContractOperation } from './contract.ts';
import { nameOf } from './typescript.ts';

const REFERENCE = '#/components/schemas/';
const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** `maxAge` as `max_age`. */
export const snakeCase = (name: string): string =>
  name
    .replace(/(?<=[a-z0-9])[A-Z]/g, '_$&')
    .replaceAll('-', '_')
    .toLowerCase();
export const pythonName = (name: string): string =>
  KEYWORDS.has(snakeCase(name)) ? `${snakeCase(name)}_` : snakeCase(name);
const pascalCase = (name: string): string =>
  name.replace(/(^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, __, first: string) => first.toUpperCase());

const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text);
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'Any';
const literal = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : JSON.stringify(value);
const docstring = (text: string): string =>
  `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"').replace(/"$/, '" ')}"""`;

/** The classes of a module, in the order of their definition. */
export class PythonTypes {
  readonly classes: string[] = [];

  /** Returns the annotation of a JSON Schema. Inline objects become classes, named after `owner`. */
  typeOf(schema: Json, owner: string): string {
    const reference = asText(schema['$ref']);
    if (reference.startsWith(REFERENCE)) return nameOf(reference.slice(REFERENCE.length));
    if ('const' in schema) return `Literal[${literal(schema['const'])}]`;
    if ('enum' in schema) return `Literal[${asList(schema['enum']).map(literal).join(', ')}]`;
    const choices = [...asList(schema['anyOf']), ...asList(schema['oneOf'])].map(asObject);
    if (choices.length > 0) {
      const objects = choices.filter((one) => 'properties' in one).length;
      return union(choices.map((one, at) => this.typeOf(one, objects > 1 ? `${owner}${at + 1}` : owner)));
    }
    const parts = asList(schema['allOf']).map((one) => this.typeOf(asObject(one), owner));
    const typed = parts.filter((part) => part !== 'Any');
    if (typed[0] !== undefined) return typed[0];
    const types = Array.isArray(schema['type']) ? schema['type'].map(asText) : [asText(schema['type'])];
    return union(types.map((type) => this.#typeOfKind(type, schema, owner)));
  }

  #typeOfKind(type: string, schema: Json, owner: string): string {
    const simple = { string: 'str', boolean: 'bool', null: 'None', integer: 'int', number: 'float' }[type];
    if (simple !== undefined) return simple;
    if (type === 'array') return `list[${this.typeOf(asObject(schema['items']), `${owner}Item`)}]`;
    if (type !== 'object') return 'Any';
    if (Object.keys(asObject(schema['properties'])).length > 0) {
      this.define(owner, schema);
      return owner;
    }
    const { additionalProperties: more } = schema;
    return `dict[str, ${more === false || more === undefined ? 'Any' : this.typeOf(asObject(more), `${owner}Value`)}]`;
  }

  /** Defines the type of a component or of an inline object. */
  define(name: string, schema: Json): void {
    const properties = Object.entries(asObject(schema['properties']));
    if (properties.length === 0) {
      this.classes.push(`${name} = ${this.typeOf(schema, `${name}Value`)}\n`);
      return;
    }
    const required = asList(schema['required']);
    const fields = properties.map(([key, part]) => {
      const property = asObject(part);
      const type = this.typeOf(property, `${name}${pascalCase(key)}`);
      const annotation = required.includes(key) ? type : `NotRequired[${type}]`;
      return { key, annotation, description: asText(property['description']) };
    });
    const lines = fields.map(
      ({ key, annotation, description }) =>
        `    ${key}: ${annotation}\n${description === '' ? '' : `    ${docstring(description)}\n`}`,
    );
    const text = fields.every(({ key }) => isName(key))
      ? `class ${name}(TypedDict):\n${lines.join('')}`
      : `${name} = TypedDict(\n    ${JSON.stringify(name)},\n    {\n${fields.map(({ key, annotation }) => `        ${JSON.stringify(key)}: ${JSON.stringify(annotation).replaceAll('\\"', "'")},\n`).join('')}    },\n)\n`;
    this.classes.push(text);
  }
}

const HEADER =
  '# Generated from the REST contract by tools/clients/generate.ts. Do not edit.\nfrom __future__ import annotations\n\n';

/** Requests whose fields are keyword arguments of the client. */
const KEYWORD_ARGUMENTS = {
  ScrapeRequest: 'ScrapeOptions',
  CrawlRequest: 'CrawlOptions',
  MapRequest: 'MapOptions',
  NewProject: 'ProjectSettings',
} as const;
const POSITIONAL = new Set(['url', 'urls', 'seed']);

/** Returns the keyword arguments for the fields of a request, and their names in the contract. */
function keywordArguments(types: PythonTypes, component: string, name: string, schema: Json): string {
  const fields = Object.entries(asObject(schema['properties'])).filter(([key]) => !POSITIONAL.has(key));
  const lines = fields.map(
    ([key, part]) => `    ${pythonName(key)}: ${types.typeOf(asObject(part), `${component}${pascalCase(key)}`)}\n`,
  );
  const renamed = fields
    .filter(([key]) => pythonName(key) !== key)
    .map(([key]) => `    "${pythonName(key)}": "${key}",\n`);
  return `class ${name}Arguments(TypedDict, total=False):\n${lines.join('')}\n\n${snakeCase(name).toUpperCase()}_NAMES: dict[str, str] = {\n${renamed.join('')}}\n`;
}

/** Returns the module with the types of the contract. */
export function pythonTypesOf({ schemas, messages }: Contract): string {
  const types = new PythonTypes();
  for (const [name, schema] of Object.entries(schemas)) types.define(nameOf(name), schema);
  const events = Object.entries(messages).map(([event, schema]) => {
    const name = `${pascalCase(event)}Message`;
    types.define(name, schema);
    return name;
  });
  const keywords = Object.entries(KEYWORD_ARGUMENTS).map(([component, name]) => {
    const shadow = new PythonTypes();
    return keywordArguments(shadow, component, name, schemas[component] ?? {});
  });
  // Classes are written once, although unions can repeat an inline object.
  const classes = [...new Map(types.classes.map((text) => [text.split(/[( ]/, 2).join(' '), text])).values()];
  return [
    `${HEADER}from typing import Any, Literal, NotRequired, TypedDict, Union\n`,
    ...aliasesLast(classes),
    ...keywords,
    `WebhookMessage = Union[\n${events.map((name) => `    ${name},\n`).join('')}]\n`,
  ].join('\n\n');
}

/** Aliases are evaluated at import, so that the classes that they name must exist. */
const aliasesLast = (classes: readonly string[]): string[] => {
  const isAlias = (text: string): boolean => !text.startsWith('class ') && !text.includes('TypedDict(');
  return [...classes.filter((text) => !isAlias(text)), ...classes.filter(isAlias)];
};

/** Returns the module with an exception class for each error code. */
export function pythonErrorsOf({ schemas }: Contract): string {
  const codes = asList(asObject(asObject(schemas['Error']?.['properties'])['code'])['enum']).map(asText);
  const names = codes.map((code) => [code, `${pascalCase(code)}Error`] as const);
  return [
    `${HEADER}from ..errors import TidemarkError\n`,
    ...names.map(([code, name]) => `class ${name}(TidemarkError):\n    """The code \`${code}\`."""\n`),
    `BY_CODE: dict[str, type[TidemarkError]] = {\n${names.map(([code, name]) => `    "${code}": ${name},\n`).join('')}}\n`,
  ].join('\n\n');
}

interface Argument {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

function argumentsOf(types: PythonTypes, schema: Json, owner: string): Argument[] {
  const required = asList(schema['required']);
  return Object.entries(asObject(schema['properties'])).map(([key, part]) => ({
    key,
    name: pythonName(key),
    type: types.typeOf(asObject(part), `${owner}${pascalCase(key)}`),
    isRequired: required.includes(key),
  }));
}

function methodOf(types: PythonTypes, operation: ContractOperation): string {
  const { id, method, path, summary, pathParameters, query, body, isBodyRequired, isIdempotent } = operation;
  const owner = pascalCase(id);
  const inPath = argumentsOf(types, pathParameters, owner);
  const inQuery = argumentsOf(types, query, owner);
  const bodyType = body === undefined ? undefined : types.typeOf(body, `${owner}Body`);
  const parameters = [
    'self',
    ...inPath.map(({ name, type }) => `${name}: ${type}`),
    ...(bodyType === undefined ? [] : [isBodyRequired ? `body: ${bodyType}` : `body: ${bodyType} | None = None`]),
    '*',
    ...inQuery.map(({ name, type, isRequired }) =>
      isRequired ? `${name}: ${type}` : `${name}: ${type} | None = None`,
    ),
    ...(isIdempotent ? ['idempotency_key: str | None = None'] : []),
  ];
  const listed = parameters.at(-1) === '*' ? parameters.slice(0, -1) : parameters;
  const dict = (all: readonly Argument[]): string => `{${all.map(({ key, name }) => `"${key}": ${name}`).join(', ')}}`;
  const result = resultOf(types, operation, owner);
  const given = [
    `"${method} ${path}"`,
    dict(inPath),
    dict(inQuery),
    bodyType === undefined ? 'None' : 'body',
    ...(isIdempotent ? ['idempotency_key'] : []),
  ];
  return `    def ${pythonName(id)}(${listed.join(', ')}) -> ${result}:\n        ${docstring(`${summary} (${method} ${path}).`)}\n        response: ${result} = self._call(${given.join(', ')})\n        return response\n`;
}

function resultOf(types: PythonTypes, { results, isRaw, isEmptyPossible }: ContractOperation, owner: string): string {
  const others = [...(isRaw ? ['Response'] : []), ...(isEmptyPossible && !isRaw ? ['None'] : [])];
  return union([...results.map((schema) => types.typeOf(schema, `${owner}Result`)), ...others]);
}

/** Returns the module with a method for each operation. */
export function pythonApiOf({ operations }: Contract): string {
  const types = new PythonTypes();
  const methods = operations.map((operation) => methodOf(types, operation));
  const classes = [...new Set(types.classes)];
  const flags = (flag: (operation: ContractOperation) => boolean): string =>
    operations
      .filter(flag)
      .map(({ method, path }) => `    "${method} ${path}",\n`)
      .join('');
  return [
    `${HEADER}from typing import Any, Literal, ${classes.some((text) => text.includes('NotRequired')) ? 'NotRequired, ' : ''}Protocol, TypedDict\n\nfrom ..response import Response\nfrom .contract import *\n`,
    ...classes,
    `# Routes that accept an Idempotency-Key.\nIDEMPOTENT = {\n${flags(({ isIdempotent }) => isIdempotent)}}\n\n# Routes that can answer with other content than JSON.\nRAW = {\n${flags(({ isRaw }) => isRaw)}}\n`,
    `class Call(Protocol):\n    def __call__(\n        self, route: str, path: dict[str, Any], query: dict[str, Any], body: Any, idempotency_key: str | None = None\n    ) -> Any: ...\n`,
    `class Api:\n    """Every operation of the API, by its id."""\n\n    def __init__(self, call: Call) -> None:\n        self._call = call\n\n${methods.join('\n')}`,
  ].join('\n\n');
}
