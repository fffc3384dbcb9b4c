import { type OpenApi, type Operation, operationsOf } from '../../contract/document.ts';
import { resolve, type Schema } from './schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

/** One route as the OpenAPI document describes it. */
export interface Target {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  /** The route concerns a person: it refuses every key with 403. */
  readonly isOfPeople: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  /** Whether the response is a stream of events, which has no end that a caller could wait for. */
  readonly streams: boolean;
  /** Seconds that the route waits for its work unless the body states another number; 0 where it has no such field. */
  readonly waitSeconds: number;
}

const isIn = (where: string): where is Parameter['in'] => where === 'path' || where === 'query' || where === 'header';

function waitOf(document: OpenApi, body: Schema | undefined): number {
  const timeout = body === undefined ? undefined : resolve(document, body).properties?.['timeout'];
  return typeof timeout?.default === 'number' ? timeout.default : 0;
}

function targetOf(document: OpenApi, path: string, method: string, operation: Operation): Target {
  const body: Schema | undefined = operation.requestBody?.content['application/json']?.schema;
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    scope: operation['x-scope'],
    isOfPeople: operation['x-caller'] === 'person',
    parameters: operation.parameters.flatMap(({ name, in: where, required, schema }) =>
      isIn(where) ? [{ name, in: where, required, schema }] : [],
    ),
    body,
    streams: Object.values(operation.responses).some(({ content }) => 'text/event-stream' in (content ?? {})),
    waitSeconds: waitOf(document, body),
  };
}

/** Returns every route of the document. */
export const targetsOf = (document: OpenApi): readonly Target[] =>
  operationsOf(document).map(({ path, method, operation }) => targetOf(document, path, method, operation));
