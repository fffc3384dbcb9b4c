import type { Metadata } from '@grpc/grpc-js';
import { type Context, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AppError } from '@tidemark/errors';
import { toGrpcError } from './grpc-errors.ts';
import { traceContextOf } from './grpc-metadata.ts';
import type { Logger } from './logger.ts';
import { redMetrics, tracer } from './telemetry.ts';

export const observe = redMetrics('rpc_server');

/** A received call, as it is logged and measured. */
export interface CallObservation {
  /** The trace context in which its handler runs. */
  readonly within: Context;
  /** Call once, after success. */
  succeed(): void;
  /** Call once, after failure. Logs errors that no AppError describes. @returns the error for gRPC */
  fail(error: unknown): ReturnType<typeof toGrpcError>;
}

interface ReceivedCall {
  readonly path: string;
  readonly metadata: Metadata;
  readonly requestId: string;
  readonly service: string;
  readonly log: Logger;
}

/** Starts the span and the measurement of a received call. */
export function observeCall({ path, metadata, requestId, service, log }: ReceivedCall): CallObservation {
  const startedAtMs = performance.now();
  const span = tracer.startSpan(
    path.slice(1),
    { kind: SpanKind.SERVER, attributes: { 'rpc.service': service } },
    traceContextOf(metadata),
  );
  const finish = (outcome: string): void => {
    if (outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
    span.end();
    observe({ service, name: path, outcome }, startedAtMs);
  };
  return {
    within: trace.setSpan(context.active(), span),
    succeed: () => finish('ok'),
    fail(error) {
      finish(error instanceof AppError ? error.code : 'internal');
      if (!(error instanceof AppError))
        log.error({ err: error, request_id: requestId, rpc: path }, 'unexpected error in an RPC handler');
      return toGrpcError(error);
    },
  };
}
