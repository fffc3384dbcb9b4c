import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Fleet } from '../harness/fleet.ts';

export interface Operation {
  readonly operationId: string;
  readonly 'x-scope': string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: object; readonly headers?: object }>
  >;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly securitySchemes: object };
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

const pointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns a function that checks responses against the document only. */
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

  /** Returns the differences between a response and the document; empty if it conforms. */
  return (operationId: string, status: number, body: unknown): string[] => {
    const at = found.find(({ operation }) => operation.operationId === operationId);
    if (at === undefined) return [`the document has no operation ${operationId}`];
    const response = at.operation.responses[status];
    if (response === undefined) return [`${operationId} answered ${status}, which the document does not list`];
    if (response.content === undefined) return body === undefined ? [] : [`${status} should have no body`];
    // A body that is not JSON is described by its media type only.
    if (!('application/json' in response.content)) return body === undefined ? [] : [`${status} should be no JSON`];
    const $ref = `openapi.json#/paths/${pointer(at.path)}/${at.method}/responses/${status}/content/application~1json/schema`;
    const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
    validate(body);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    );
  };
}
