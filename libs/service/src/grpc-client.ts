import { Client, credentials, type MethodDefinition, status } from '@grpc/grpc-js';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AppError } from '@tidemark/errors';
import { fromGrpcError } from './grpc-errors.ts';
import { type CallContext, toMetadata } from './grpc-metadata.ts';
import { tracer } from './telemetry.ts';

/** Bytes: a page's bodies travel in one answer; pages themselves are capped well below. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const DEFAULT_DEADLINE_MS = 10_000;

const CHANNEL = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // An answered call must not hold a process open, and a vanished peer must be noticed.
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
};

export interface CallOptions {
  /** Milliseconds; 10,000 unless told. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** A connection to one service, or to several replicas of it in turn. */
export interface Peer {
  readonly service: string;
  /** Resolves when a connection stands. @throws AppError unavailable where none does within a second */
  ready(): Promise<void>;
  call<Q, A>(method: MethodDefinition<Q, A>, request: Q, call: CallContext, options?: CallOptions): Promise<A>;
  close(): Promise<void>;
}

function target(addresses: string): string {
  const list = addresses.split(',').map((address) => address.trim());
  return list.length > 1 ? `ipv4:${list.join(',')}` : `dns:///${list[0] ?? ''}`;
}

/** Dials a service at `host:port`, or at several comma-separated `ip:port`, taken in turn. Connects lazily and for good. */
export function dial(service: string, addresses: string): Peer {
  const client = new Client(target(addresses), credentials.createInsecure(), CHANNEL);

  function call<Q, A>(
    method: MethodDefinition<Q, A>,
    request: Q,
    ctx: CallContext,
    options: CallOptions = {},
  ): Promise<A> {
    if (options.signal?.aborted)
      return Promise.reject(new AppError('unavailable', `the call to ${service} was called off before it began`));
    const span = tracer.startSpan(method.path.slice(1), {
      kind: SpanKind.CLIENT,
      attributes: { 'rpc.service': service },
    });
    const metadata = context.with(trace.setSpan(context.active(), span), () => toMetadata(ctx));
    const deadline = Date.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS);
    return new Promise<A>((resolve, reject) => {
      const unary = client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        { deadline },
        (error, answer) => {
          options.signal?.removeEventListener('abort', abort);
          const failure = error === null ? undefined : fromGrpcError(error, service);
          if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure.code });
          span.end();
          if (failure !== undefined) reject(failure);
          else if (answer === undefined)
            reject(
              fromGrpcError(
                Object.assign(new Error('empty answer'), { code: status.INTERNAL, details: '', metadata }),
                service,
              ),
            );
          else resolve(answer);
        },
      );
      const abort = () => unary.cancel();
      options.signal?.addEventListener('abort', abort, { once: true });
    });
  }

  const ready = (): Promise<void> =>
    new Promise((resolve, reject) =>
      client.waitForReady(Date.now() + 1_000, (error) =>
        error === undefined ? resolve() : reject(new AppError('unavailable', `${service} can't be reached`)),
      ),
    );

  return { service, call, ready, close: async () => client.close() };
}
