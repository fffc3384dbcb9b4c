import { asList, asObject, asText, type Json } from '@tidemark/api';

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
  readonly example: unknown;
}

export interface ResponseDescription {
  readonly status: string;
  /** The content type; undefined for a response without a body. */
  readonly type: string | undefined;
  readonly schema: Json | undefined;
  readonly example: unknown;
}

export interface ErrorDescription {
  readonly status: string;
  readonly codes: readonly string[];
  readonly description: string;
}

/** One webhook event. */
export interface EventDescription {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
  readonly example: unknown;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly scope: string;
  readonly summary: string;
  readonly description: string;
  /** Without the headers that every operation accepts. */
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Json; readonly example: unknown } | undefined;
  /** The 2xx responses. */
  readonly responses: readonly ResponseDescription[];
  readonly errors: readonly ErrorDescription[];
}

export interface Document {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly serverUrl: string;
  readonly operations: readonly Operation[];
  /** The headers that every operation accepts. */
  readonly sharedParameters: readonly Parameter[];
  /** The errors that every operation with a key can answer, with the same description. */
  readonly sharedErrors: readonly ErrorDescription[];
  readonly events: readonly EventDescription[];
  /** Descriptions of the tags by name. */
  readonly tags: Readonly<Record<string, string>>;
  readonly schemas: Json;
  /** What requests of Firecrawl's clients become in this service; empty: its interface is not served. */
  readonly firecrawl: readonly MappingTable[];
}

/** A table of names of Firecrawl, and what each of them is in this service. */
export interface MappingTable {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, becomes: string])[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Reads what the documentation shows from an OpenAPI document. */
export function readDocument(json: Json, firecrawl: readonly MappingTable[] = []): Document {
  const info = asObject(json['info']);
  const components = asObject(json['components']);
  const operations = Object.entries(asObject(json['paths'])).flatMap(([path, item]) =>
    Object.entries(asObject(item))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => readOperation({ path, method, json: asObject(operation), components })),
  );
  return {
    title: asText(info['title']),
    version: asText(info['version']),
    description: asText(info['description']),
    serverUrl: asText(asObject(asList(json['servers'])[0])['url']),
    operations,
    sharedErrors: sharedErrors(operations),
    sharedParameters: Object.values(asObject(components['parameters'])).map((one) => readParameter(asObject(one))),
    events: Object.entries(asObject(json['webhooks'])).map(([name, item]) => readEvent(name, asObject(item))),
    tags: Object.fromEntries(
      asList(json['tags']).map((one) => [asText(asObject(one)['name']), asText(asObject(one)['description'])]),
    ),
    schemas: asObject(components['schemas']),
    firecrawl,
  };
}

/** Returns the errors that all operations with a key have in common. */
function sharedErrors(operations: readonly Operation[]): ErrorDescription[] {
  const [first, ...others] = operations
    .filter(({ scope }) => scope !== 'public')
    .map(({ errors }) => new Map(errors.map((error) => [JSON.stringify(error), error])));
  return [...(first ?? [])].filter(([key]) => others.every((one) => one.has(key))).map(([, error]) => error);
}

interface OperationSource {
  readonly path: string;
  readonly method: string;
  readonly json: Json;
  readonly components: Json;
}

function readOperation({ path, method, json, components }: OperationSource): Operation {
  const scope = asText(json['x-scope']);
  const body = jsonContent(asObject(json['requestBody']));
  const responses = Object.entries(asObject(json['responses'])).map(
    ([status, one]) => [status, dereference(asObject(one), 'responses', components)] as const,
  );
  return {
    id: asText(json['operationId']),
    method,
    path,
    tag: asText(asList(json['tags'])[0]),
    scope,
    summary: asText(json['summary']),
    // The badge next to the path shows the scope, and the heading the summary.
    description: asText(json['description'])
      .replace(`Required scope: \`${scope}\`.`, '')
      .replace(/^(.*)$/m, (line) => (line === `${asText(json['summary'])}.` ? '' : line))
      .trim(),
    parameters: asList(json['parameters'])
      .map(asObject)
      .filter((one) => one['$ref'] === undefined)
      .map(readParameter),
    body: body['schema'] === undefined ? undefined : { schema: asObject(body['schema']), example: body['example'] },
    responses: responses.filter(([status]) => status.startsWith('2')).map(([status, one]) => readResponse(status, one)),
    errors: responses.filter(([status]) => !status.startsWith('2')).map(([status, one]) => readError(status, one)),
  };
}

/** Returns a part of the document, or the component that it refers to. */
function dereference(json: Json, kind: string, components: Json): Json {
  const reference = asText(json['$ref']);
  return reference === '' ? json : asObject(asObject(components[kind])[reference.split('/').at(-1) ?? '']);
}

const jsonContent = (json: Json): Json => asObject(asObject(json['content'])['application/json']);

function readResponse(status: string, response: Json): ResponseDescription {
  const [type] = Object.keys(asObject(response['content']));
  const content = asObject(asObject(response['content'])[type ?? '']);
  const schema = type === 'application/json' ? asObject(content['schema']) : undefined;
  return { status, type, schema, example: content['example'] };
}

function readError(status: string, response: Json): ErrorDescription {
  const codes = Object.keys(asObject(jsonContent(response)['examples']));
  return { status, codes, description: asText(response['description']) };
}

function readEvent(name: string, item: Json): EventDescription {
  const post = asObject(item['post']);
  const { schema, example } = jsonContent(asObject(post['requestBody']));
  // The rules of deliveries are the same for every event and follow its own description.
  const [description = ''] = asText(post['description']).split('\n\n');
  return { name, description, schema: asObject(schema), example };
}

function readParameter(json: Json): Parameter {
  const schema = asObject(json['schema']);
  return {
    name: asText(json['name']),
    in: asText(json['in']),
    required: json['required'] === true,
    description: asText(json['description']) || asText(schema['description']),
    schema,
    example: json['example'],
  };
}
