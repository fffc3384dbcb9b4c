import { type AnyRoute, routes } from '@tidemark/api';
import { z } from 'zod';
import { type OpenApi, type Operation, operationsOf } from '../../contract/document.ts';
import type { Schema } from './schema.ts';

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

/** Returns the default of the field `timeout`. It is read from the contract: the document states defaults of requests in descriptions only. */
function waitOf(operationId: string): number {
  const body = Object.values<AnyRoute>(routes).find(({ id }) => id === operationId)?.body;
  const timeout: unknown = body instanceof z.ZodObject ? body.shape['timeout'] : undefined;
  const parsed = timeout instanceof z.ZodType ? timeout.safeParse(undefined) : undefined;
  return typeof parsed?.data === 'number' ? parsed.data : 0;
}

function targetOf(path: string, method: string, operation: Operation): Target {
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
    waitSeconds: waitOf(operation.operationId),
  };
}

/** Returns every route of the document. */
export const targetsOf = (document: OpenApi): readonly Target[] =>
  operationsOf(document).map(({ path, method, operation }) => targetOf(path, method, operation));
