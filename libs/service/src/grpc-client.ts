import { Client, credentials, type Metadata, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
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
  // Calls inside the fleet never leave by a proxy of the machine's environment.
  'grpc.enable_http_proxy': 0,
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
  return new GrpcPeer(service, new Client(target(addresses), credentials.createInsecure(), CHANNEL));
}

class GrpcPeer implements Peer {
  readonly service: string;
  readonly #client: Client;

  constructor(service: string, client: Client) {
    this.service = service;
    this.#client = client;
  }

  call<Q, A>(method: MethodDefinition<Q, A>, request: Q, ctx: CallContext, options: CallOptions = {}): Promise<A> {
    if (options.signal?.aborted)
      return Promise.reject(new AppError('unavailable', `the call to ${this.service} was called off before it began`));
    const span = tracer.startSpan(method.path.slice(1), {
      kind: SpanKind.CLIENT,
      attributes: { 'rpc.service': this.service },
    });
    const metadata = context.with(trace.setSpan(context.active(), span), () => toMetadata(ctx));
    return this.#send(method, request, metadata, options).then(
      (answer) => {
        span.end();
        return answer;
      },
      (error: ServiceError) => {
        const failure = fromGrpcError(error, this.service);
        span.setStatus({ code: SpanStatusCode.ERROR, message: failure.code });
        span.end();
        throw failure;
      },
    );
  }

  #send<Q, A>(method: MethodDefinition<Q, A>, request: Q, metadata: Metadata, options: CallOptions): Promise<A> {
    const deadline = Date.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS);
    return new Promise<A>((resolve, reject) => {
      const answered = (error: ServiceError | null, answer?: A) => {
        options.signal?.removeEventListener('abort', abort);
        if (error === null && answer !== undefined) resolve(answer);
        else
          reject(error ?? Object.assign(new Error('empty answer'), { code: status.INTERNAL, details: '', metadata }));
      };
      const unary = this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        { deadline },
        answered,
      );
      const abort = () => unary.cancel();
      options.signal?.addEventListener('abort', abort, { once: true });
    });
  }

  ready(): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#client.waitForReady(Date.now() + 1_000, (error) =>
        error === undefined ? resolve() : reject(new AppError('unavailable', `${this.service} can't be reached`)),
      ),
    );
  }

  async close(): Promise<void> {
    this.#client.close();
  }
}
