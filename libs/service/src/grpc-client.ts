import { Client, type Metadata, type MethodDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AppError } from '@tidemark/errors';
import type { CallContext } from './auth/call-context.ts';
import { credentialFor, type FleetAccess } from './auth/fleet-access.ts';
import { channelCredentials, serverNameOptions } from './auth/tls.ts';
import { fromGrpcError } from './grpc-errors.ts';
import { toMetadata } from './grpc-metadata.ts';
import { tracer } from './telemetry.ts';

/** Maximum size of a gRPC message, bytes. The bodies of one page are sent in one response; pages are limited to far less. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const DEFAULT_DEADLINE_MS = 10_000;

const CHANNEL = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // Calls between services ignore the proxy variables of the environment.
  'grpc.enable_http_proxy': 0,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // Detects a peer that disappeared without closing its connection.
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5_000,
};

export interface CallOptions {
  /** Milliseconds; default 10,000. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** Called with the address, host:port, of the replica that answered: work that stays there is reached by dialling it. */
  readonly onReplica?: (address: string) => void;
}

/** A connection to one service. Calls are distributed over its replicas round robin. */
export interface Peer {
  readonly service: string;
  /** Resolves when connected. @throws AppError unavailable if no connection is made within a second */
  ready(): Promise<void>;
  call<Q, A>(method: MethodDefinition<Q, A>, request: Q, call: CallContext, options?: CallOptions): Promise<A>;
  /** Calls a method whose response is a stream. Messages are read as they are consumed; ending the iteration cancels the call. */
  stream<Q, A>(method: MethodDefinition<Q, A>, request: Q, call: CallContext, options?: CallOptions): AsyncIterable<A>;
  close(): Promise<void>;
}

function target(addresses: string): string {
  const list = addresses.split(',').map((address) => address.trim());
  return list.length > 1 ? `ipv4:${list.join(',')}` : `dns:///${list[0] ?? ''}`;
}

/**
 * Creates a client for a service at `host:port`, or at several comma-separated `ip:port` (round robin). Every call carries a credential
 * of `access`. Connects at the first call and reconnects without limit.
 */
export function dial(service: string, addresses: string, access: FleetAccess): Peer {
  const options = { ...CHANNEL, ...serverNameOptions(access.tls, service) };
  return new GrpcPeer(service, new Client(target(addresses), channelCredentials(access.tls), options), access);
}

interface Outgoing {
  readonly metadata: Metadata;
  readonly deadlineAtMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onReplica: ((address: string) => void) | undefined;
}

class GrpcPeer implements Peer {
  readonly service: string;
  readonly #client: Client;
  readonly #access: FleetAccess;

  constructor(service: string, client: Client, access: FleetAccess) {
    this.service = service;
    this.#client = client;
    this.#access = access;
  }

  call<Q, A>(method: MethodDefinition<Q, A>, request: Q, ctx: CallContext, options: CallOptions = {}): Promise<A> {
    if (options.signal?.aborted)
      return Promise.reject(new AppError('unavailable', `the call to ${this.service} was cancelled before it started`));
    const span = tracer.startSpan(method.path.slice(1), {
      kind: SpanKind.CLIENT,
      attributes: { 'rpc.service': this.service },
    });
    const deadlineAtMs = Date.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS);
    const credential = credentialFor(this.#access, method.path, { ...ctx, deadlineAtMs });
    const metadata = context.with(trace.setSpan(context.active(), span), () => toMetadata(credential));
    return this.#send(method, request, {
      metadata,
      deadlineAtMs,
      signal: options.signal,
      onReplica: options.onReplica,
    }).then(
      (response) => {
        span.end();
        return response;
      },
      (error: ServiceError) => {
        const failure = fromGrpcError(error, this.service);
        span.setStatus({ code: SpanStatusCode.ERROR, message: failure.code });
        span.end();
        throw failure;
      },
    );
  }

  async *stream<Q, A>(
    method: MethodDefinition<Q, A>,
    request: Q,
    ctx: CallContext,
    options: CallOptions = {},
  ): AsyncGenerator<A> {
    const deadlineAtMs = Date.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS);
    const credential = credentialFor(this.#access, method.path, { ...ctx, deadlineAtMs });
    const { path, requestSerialize, responseDeserialize } = method;
    const responses = this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      toMetadata(credential),
      { deadline: deadlineAtMs },
    );
    const abort = () => responses.cancel();
    options.signal?.addEventListener('abort', abort, { once: true });
    if (options.signal?.aborted) abort();
    try {
      for await (const response of responses) yield response;
    } catch (error) {
      throw isServiceError(error) ? fromGrpcError(error, this.service) : error;
    } finally {
      options.signal?.removeEventListener('abort', abort);
      responses.cancel();
    }
  }

  #send<Q, A>(
    method: MethodDefinition<Q, A>,
    request: Q,
    { metadata, deadlineAtMs, signal, onReplica }: Outgoing,
  ): Promise<A> {
    return new Promise<A>((resolve, reject) => {
      const onResponse = (error: ServiceError | null, response?: A) => {
        signal?.removeEventListener('abort', abort);
        if (error === null && response !== undefined) {
          onReplica?.(unary.getPeer());
          resolve(response);
        } else
          reject(error ?? Object.assign(new Error('empty response'), { code: status.INTERNAL, details: '', metadata }));
      };
      const unary = this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        { deadline: deadlineAtMs },
        onResponse,
      );
      const abort = () => unary.cancel();
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  ready(): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#client.waitForReady(Date.now() + 1_000, (error) =>
        error === undefined
          ? resolve()
          : reject(new AppError('unavailable', `no connection to ${this.service} within 1 s`)),
      ),
    );
  }

  async close(): Promise<void> {
    this.#client.close();
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'metadata' in error;
}
