import { once } from 'node:events';
import {
  type MethodDefinition,
  Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { context } from '@opentelemetry/api';
import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { CallContext, VerifiedCall } from './auth/call-context.ts';
import type { CallGuard } from './auth/call-guard.ts';
import { guardInterceptor, verifiedCallOf } from './auth/guard-interceptor.ts';
import { makeRefusalLog } from './auth/refusal-log.ts';
import { serverCredentials, type TlsFiles } from './auth/tls.ts';
import { MAX_MESSAGE_BYTES } from './grpc-client.ts';
import type { Logger } from './logger.ts';
import { memoryGuard } from './memory-guard.ts';
import { observe, observeCall } from './observe-call.ts';
import { WORK_RPCS } from './work-rpcs.ts';

/** Context of a call, passed to its handler with the request. */
export interface HandlerContext extends VerifiedCall {
  /** Aborted when the caller cancels, disconnects or exceeds its deadline. */
  readonly signal: AbortSignal;
}

export interface BoundMethod {
  readonly path: string;
  bind(server: Server, service: string, log: Logger): void;
}

/** Binds a handler to one method of a proto service. `serialize` replaces the generated writer of its responses. */
export function handle<Q, A>(
  method: MethodDefinition<Q, A>,
  handler: (request: Q, ctx: HandlerContext) => Promise<A>,
  serialize: (response: A) => Buffer = method.responseSerialize,
): BoundMethod {
  return {
    path: method.path,
    bind(server, service, log) {
      server.register<Q, A>(
        method.path,
        (call: ServerUnaryCall<Q, A>, callback: sendUnaryData<A>) => {
          const ctx = verifiedCallOf(call.metadata);
          const { requestId } = ctx;
          const observation = observeCall({ path: method.path, metadata: call.metadata, requestId, service, log });
          const gone = new AbortController();
          call.on('cancelled', () => gone.abort());
          const refusal = WORK_RPCS.has(method.path) ? memoryGuard.refusal() : undefined;
          const run = () =>
            refusal === undefined ? handler(call.request, { ...ctx, signal: gone.signal }) : Promise.reject(refusal);
          context.with(observation.within, () =>
            run().then(
              (result) => {
                observation.succeed();
                callback(null, result);
              },
              (error: unknown) => callback(observation.fail(error)),
            ),
          );
        },
        serialize,
        method.requestDeserialize,
        'unary',
      );
    },
  };
}

/**
 * Binds a handler to a method whose response is a stream. The next message is taken from the handler after the last one was accepted by
 * the connection. A failure ends the stream with its error; a caller that disconnects ends the handler's iteration. `serialize` as in `handle`.
 */
export function handleStream<Q, A>(
  method: MethodDefinition<Q, A>,
  handler: (request: Q, ctx: HandlerContext) => AsyncIterable<A>,
  serialize: (response: A) => Buffer = method.responseSerialize,
): BoundMethod {
  return {
    path: method.path,
    bind(server, service, log) {
      const respond = (call: ServerWritableStream<Q, A>): void => {
        const ctx = verifiedCallOf(call.metadata);
        const { requestId } = ctx;
        const observation = observeCall({ path: method.path, metadata: call.metadata, requestId, service, log });
        const gone = new AbortController();
        call.on('cancelled', () => gone.abort());
        const refusal = WORK_RPCS.has(method.path) ? memoryGuard.refusal() : undefined;
        const run = async (): Promise<void> => {
          if (refusal !== undefined) throw refusal;
          await sendAll(call, handler(call.request, { ...ctx, signal: gone.signal }), gone.signal);
        };
        context.with(observation.within, () =>
          run().then(
            () => {
              observation.succeed();
              call.end();
            },
            (error: unknown) => {
              if (gone.signal.aborted) return observation.succeed();
              call.emit('error', observation.fail(error));
            },
          ),
        );
      };
      server.register<Q, A>(method.path, respond, serialize, method.requestDeserialize, 'serverStream');
    },
  };
}

/** Sends messages as fast as the connection accepts them, until the caller has disconnected. */
async function sendAll<Q, A>(
  call: ServerWritableStream<Q, A>,
  messages: AsyncIterable<A>,
  gone: AbortSignal,
): Promise<void> {
  for await (const message of messages) {
    if (gone.aborted) return;
    if (!call.write(message)) await once(call, 'drain', { signal: gone });
  }
}

/** Returns the caller of an authenticated call. @throws AppError unauthorized if the call has none */
export function callerOf(ctx: CallContext): Caller {
  if (ctx.caller === undefined) throw new AppError('unauthorized', 'this call requires an authenticated caller');
  return ctx.caller;
}

/** A proto service definition with a handler for every method. */
export interface GrpcService {
  readonly definition: ServiceDefinition<UntypedServiceImplementation>;
  readonly methods: readonly BoundMethod[];
}

export interface GrpcServerSettings {
  /** The name of the service. */
  readonly service: string;
  readonly log: Logger;
  /** Verifies the credential of every call. */
  readonly guard: CallGuard;
  readonly tls?: TlsFiles | undefined;
}

/** Builds a gRPC server from these services. @throws Error listing the methods without a handler */
export function createGrpcServer(
  grpcServices: readonly GrpcService[],
  { service, log, guard, tls }: GrpcServerSettings,
): Server {
  const logRefusal = makeRefusalLog(log);
  const interceptor = guardInterceptor(guard, tls !== undefined, (path, refusal, peer) => {
    observe({ service, name: path, outcome: refusal.code }, performance.now());
    logRefusal(path, refusal, peer);
  });
  const server = new Server({
    interceptors: [interceptor],
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_concurrent_streams': 1_000,
  });
  for (const { definition, methods } of grpcServices) {
    for (const method of methods) method.bind(server, service, log);
    const bound = new Set(methods.map((method) => method.path));
    const missing = Object.values(definition).filter((method) => !bound.has(method.path));
    if (missing.length > 0)
      throw new Error(`${service} has no handler for ${missing.map((method) => method.path).join(', ')}`);
  }
  return server;
}

/** Listens on `host:port`. @returns the port; assigned by the system if the requested port is 0 */
export function listen(server: Server, address: string, tls?: TlsFiles): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, serverCredentials(tls), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}
