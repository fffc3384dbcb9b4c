/** Part of an OpenAPI document. Missing or malformed parts are read as empty. */
export type Json = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
}

export interface ResponseDescription {
  readonly status: string;
  readonly schema: Json | undefined;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly scope: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Json; readonly example: unknown } | undefined;
  /** The 2xx responses. */
  readonly responses: readonly ResponseDescription[];
}

export interface Document {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly serverUrl: string;
  readonly operations: readonly Operation[];
  readonly schemas: Json;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

export function readDocument(json: Json): Document {
  const info = asObject(json['info']);
  const operations = Object.entries(asObject(json['paths'])).flatMap(([path, item]) =>
    Object.entries(asObject(item))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => readOperation(path, method, asObject(operation))),
  );
  return {
    title: asText(info['title']),
    version: asText(info['version']),
    description: asText(info['description']),
    serverUrl: asText(asObject(asList(json['servers'])[0])['url']),
    operations,
    schemas: asObject(asObject(json['components'])['schemas']),
  };
}

function readOperation(path: string, method: string, json: Json): Operation {
  const scope = asText(json['x-scope']);
  const body = asObject(asObject(asObject(json['requestBody'])['content'])['application/json']);
  return {
    id: asText(json['operationId']),
    method,
    path,
    tag: asText(asList(json['tags'])[0]),
    scope,
    summary: asText(json['summary']),
    // The badge next to the path shows the scope.
    description: asText(json['description']).replace(`Required scope: \`${scope}\`.`, '').trim(),
    parameters: asList(json['parameters']).map((one) => readParameter(asObject(one))),
    body: body['schema'] === undefined ? undefined : { schema: asObject(body['schema']), example: body['example'] },
    responses: Object.entries(asObject(json['responses']))
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => ({ status, schema: schemaOf(asObject(response)) })),
  };
}

function schemaOf(response: Json): Json | undefined {
  const schema = asObject(asObject(response['content'])['application/json'])['schema'];
  return schema === undefined ? undefined : asObject(schema);
}

function readParameter(json: Json): Parameter {
  const schema = asObject(json['schema']);
  return {
    name: asText(json['name']),
    in: asText(json['in']),
    required: json['required'] === true,
    description: asText(json['description']) || asText(schema['description']),
    schema,
  };
}
