import {
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { MAX_MESSAGE_BYTES } from './grpc-client.ts';
import { toGrpcError } from './grpc-errors.ts';
import { type CallContext, fromMetadata, traceContextOf } from './grpc-metadata.ts';
import type { Logger } from './logger.ts';
import { redMetrics, tracer } from './telemetry.ts';

/** What a handler is told beside its request. */
export interface HandlerContext extends CallContext {
  /** Aborted when the caller has gone or its deadline has passed. */
  readonly signal: AbortSignal;
}

export interface BoundMethod {
  readonly path: string;
  bind(server: Server, service: string, log: Logger): void;
}

const observe = redMetrics('rpc_server');

/** Joins one method of a proto service to the function that answers it. */
export function handle<Q, A>(
  method: MethodDefinition<Q, A>,
  answer: (request: Q, ctx: HandlerContext) => Promise<A>,
): BoundMethod {
  return {
    path: method.path,
    bind(server, service, log) {
      server.register<Q, A>(
        method.path,
        (call: ServerUnaryCall<Q, A>, callback: sendUnaryData<A>) => {
          const startedAtMs = performance.now();
          const ctx = fromMetadata(call.metadata);
          const span = tracer.startSpan(
            method.path.slice(1),
            { kind: SpanKind.SERVER, attributes: { 'rpc.service': service } },
            traceContextOf(call.metadata),
          );
          const gone = new AbortController();
          call.on('cancelled', () => gone.abort());
          const finish = (outcome: string) => {
            if (outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
            span.end();
            observe({ service, name: method.path, outcome }, startedAtMs);
          };
          context.with(trace.setSpan(context.active(), span), () =>
            answer(call.request, { ...ctx, signal: gone.signal }).then(
              (result) => {
                finish('ok');
                callback(null, result);
              },
              (error: unknown) => {
                finish(error instanceof AppError ? error.code : 'internal');
                if (!(error instanceof AppError))
                  log.error({ err: error, request_id: ctx.requestId, rpc: method.path }, 'a call failed unexpectedly');
                callback(toGrpcError(error));
              },
            ),
          );
        },
        method.responseSerialize,
        method.requestDeserialize,
        'unary',
      );
    },
  };
}

/** The caller of a call that must have one. @throws AppError unauthorized */
export function callerOf(ctx: CallContext): Caller {
  if (ctx.caller === undefined) throw new AppError('unauthorized', 'this call needs a caller');
  return ctx.caller;
}

/** A service's face: its proto definition and a handler for every method of it. */
export interface GrpcService {
  readonly definition: ServiceDefinition<UntypedServiceImplementation>;
  readonly methods: readonly BoundMethod[];
}

/** Builds a gRPC server that answers these faces. @throws Error naming a method nobody answers */
export function createGrpcServer(grpcServices: readonly GrpcService[], service: string, log: Logger): Server {
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_concurrent_streams': 1_000,
  });
  for (const { definition, methods } of grpcServices) {
    for (const method of methods) method.bind(server, service, log);
    const bound = new Set(methods.map((method) => method.path));
    const missing = Object.values(definition).filter((method) => !bound.has(method.path));
    if (missing.length > 0) throw new Error(`${service} answers no ${missing.map((method) => method.path).join(', ')}`);
  }
  return server;
}

/** Listens on `host:port`. @returns the port, chosen by the system where 0 was asked */
export function listen(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}
