import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Fleet } from '../harness/fleet.ts';

export interface Operation {
  readonly operationId: string;
  readonly 'x-scope': string;
  readonly 'x-caller'?: string;
  /** Without the headers that every operation accepts, which are references. */
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** A response of an operation, with its reference resolved. */
export interface ResponseObject {
  readonly description: string;
  readonly content?: object;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
}

interface HeaderObject {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes: object;
  };
}

/** The served /v1/openapi.json. */
export async function readDocument(fleet: Fleet): Promise<OpenApi> {
  const { status, body, text } = await fleet.api('').get('/openapi.json');
  if (status !== 200) throw new Error(`/v1/openapi.json answered ${status} ${text}`);
  return body as OpenApi;
}

export const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

const nameIn = ($ref: string): string => $ref.split('/').at(-1) ?? '';

/** Returns a response of an operation, with its reference resolved, and its JSON pointer. */
function responseOf(document: OpenApi, at: ReturnType<typeof operationsOf>[number], status: number) {
  const response = at.operation.responses[status];
  if (response === undefined) return undefined;
  if (!('$ref' in response))
    return { response, pointer: `/paths/${escaped(at.path)}/${at.method}/responses/${status}` };
  const name = nameIn(String(response.$ref));
  const shared = document.components.responses[name];
  return shared && { response: shared, pointer: `/components/responses/${name}` };
}

/** Returns the codes that an operation lists for an error status. */
export function codesOf(document: OpenApi, operationId: string, status: number): string[] {
  const at = operationsOf(document).find(({ operation }) => operation.operationId === operationId);
  const content = at === undefined ? undefined : responseOf(document, at, status)?.response.content;
  const json: unknown = content === undefined ? undefined : Reflect.get(content, 'application/json');
  return Object.keys(Object(Reflect.get(Object(json), 'examples')));
}

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns the differences between the headers of a response and those that its response declares. */
function headerFaults({ components }: OpenApi, { headers: declared = {} }: ResponseObject, headers: Headers): string[] {
  const objectOf = (name: string): HeaderObject | undefined => components.headers[nameIn(declared[name]?.$ref ?? '')];
  const missing = Object.keys(declared).filter((name) => objectOf(name)?.required === true && !headers.has(name));
  const undeclared = Object.keys(components.headers).filter((name) => headers.has(name) && !(name in declared));
  const notNumbers = Object.keys(declared).filter(
    (name) => objectOf(name)?.schema.type === 'integer' && !/^\d+$/.test(headers.get(name) ?? '0'),
  );
  return [
    ...missing.map((name) => `the required header ${name} is missing`),
    ...undeclared.map((name) => `the header ${name} is not declared`),
    ...notNumbers.map((name) => `the header ${name} is no integer`),
  ];
}

/** A response to compare with the document. */
export interface CheckedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Returns a function that checks responses against the document only: status, headers and body. */
export function makeResponseChecker(document: OpenApi) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const itself = Object.entries(document.components.schemas).filter(
    ([name, schema]) => JSON.stringify(schema) === `{"$ref":"#/components/schemas/${name}"}`,
  );
  if (itself.length > 0)
    throw new Error(`schemas that only refer to themselves: ${itself.map(([name]) => name).join(', ')}`);
  ajv.addSchema(document, 'openapi.json');
  const found = operationsOf(document);

  const bodyFaults = (
    { content }: ResponseObject,
    pointer: string,
    { status, body, headers }: CheckedResponse,
  ): string[] => {
    if (content === undefined) return body === undefined ? [] : [`${status} should have no body`];
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    if (!(type in content)) return [`the content type ${type} is not declared`];
    // A body that is not JSON is described by its media type only.
    if (type !== 'application/json') return [];
    const $ref = `openapi.json#${pointer}/content/application~1json/schema`;
    const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
    validate(body);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
  };

  /** Returns the differences between a response and the document; empty if it conforms. */
  return (operationId: string, sent: CheckedResponse): string[] => {
    const at = found.find(({ operation }) => operation.operationId === operationId);
    if (at === undefined) return [`the document has no operation ${operationId}`];
    const described = responseOf(document, at, sent.status);
    if (described === undefined) return [`${operationId} answered ${sent.status}, which the document does not list`];
    const { response, pointer } = described;
    return [...headerFaults(document, response, sent.headers), ...bodyFaults(response, pointer, sent)];
  };
}
