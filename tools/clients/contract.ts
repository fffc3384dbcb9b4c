import { asList, asObject, asText, buildOpenApi, type Json, routes } from '@tidemark/api';

/** One operation of the REST contract, as the generators of client types read it. */
export interface ContractOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Parameters as object schemas. */
  readonly pathParameters: Json;
  readonly query: Json;
  /** Schema of the request body; undefined if the method has none. */
  readonly body: Json | undefined;
  readonly isBodyRequired: boolean;
  /** Schemas of the JSON responses of successful requests. */
  readonly results: readonly Json[];
  /** Some successful responses have no body. */
  readonly isEmptyPossible: boolean;
  /** Some successful responses are not JSON: files, images, event streams. Lines of JSON, which Accept selects, do not count beside JSON. */
  readonly isRaw: boolean;
  /** Accepts an Idempotency-Key. */
  readonly isIdempotent: boolean;
}

export interface Contract {
  readonly schemas: Readonly<Record<string, Json>>;
  readonly operations: readonly ContractOperation[];
  /** Schemas of webhook messages, by event. */
  readonly messages: Readonly<Record<string, Json>>;
}

const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';
const schemaIn = (content: unknown): Json => asObject(asObject(asObject(content)[JSON_TYPE])['schema']);

/** Returns the operations, schemas and messages of the OpenAPI document. */
export function readContract(): Contract {
  const document = buildOpenApi(Object.values(routes), '/v1');
  const operations = Object.entries(asObject(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(asObject(methods)).map(([method, operation]) => operationOf(path, method, asObject(operation))),
  );
  const messages = Object.entries(asObject(document['webhooks'])).map(([event, path]): [string, Json] => {
    const body = asObject(asObject(asObject(path)['post'])['requestBody']);
    return [event, schemaIn(body['content'])];
  });
  const schemas = Object.entries(asObject(asObject(document['components'])['schemas']));
  return {
    schemas: Object.fromEntries(schemas.map(([name, schema]) => [name, asObject(schema)])),
    operations,
    messages: Object.fromEntries(messages),
  };
}

function operationOf(path: string, method: string, operation: Json): ContractOperation {
  const parameters = asList(operation['parameters']).map(asObject);
  const body = operation['requestBody'] === undefined ? undefined : asObject(operation['requestBody']);
  const successes = Object.entries(asObject(operation['responses']))
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => asObject(asObject(response)['content']));
  return {
    id: asText(operation['operationId']),
    method: method.toUpperCase(),
    path,
    summary: asText(operation['summary']),
    pathParameters: parametersAt('path', parameters),
    query: parametersAt('query', parameters),
    body: body === undefined ? undefined : schemaIn(body['content']),
    isBodyRequired: body?.['required'] === true,
    results: successes.filter((content) => JSON_TYPE in content).map(schemaIn),
    isEmptyPossible: successes.some((content) => Object.keys(content).length === 0),
    isRaw: successes.some((content) =>
      Object.keys(content).some((type) => type !== JSON_TYPE && !(type === LINES_TYPE && JSON_TYPE in content)),
    ),
    isIdempotent: parameters.some(({ name }) => name === 'Idempotency-Key'),
  };
}

function parametersAt(where: 'path' | 'query', parameters: readonly Json[]): Json {
  const here = parameters.filter((parameter) => parameter['in'] === where);
  const named = here.map((parameter): [string, Json] => [
    asText(parameter['name']),
    { ...asObject(parameter['schema']), description: parameter['description'] },
  ]);
  const required = here.filter((parameter) => parameter['required'] === true).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(named), required, additionalProperties: false };
}
