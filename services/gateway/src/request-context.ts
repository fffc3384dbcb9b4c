import type { Caller } from '@tidemark/contracts';
import type { CallContext } from '@tidemark/service';

/** Who called, as the gateway knows it. */
export interface Authenticated {
  readonly caller: Caller;
  readonly keyName: string;
  readonly scopes: readonly string[];
  readonly plan: string;
  /** Requests a minute the key may make. */
  readonly rpm: number;
}

/** What a route's handler is given: its request, read and checked, and who asks. */
export interface Asked<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly requestId: string;
  /** Where the caller reached us, up to and with the version prefix. */
  readonly baseUrl: string;
  readonly idempotencyKey: string;
  /** The event a broken stream ended with; empty for a new one. */
  readonly lastEventId: string;
  /** SHA-256 of the body, where an Idempotency-Key came with it; empty otherwise. */
  readonly bodyHash: string;
  readonly auth: Authenticated;
  /** What goes along with every call to another service. */
  readonly call: CallContext;
}

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  /** Where to go on from after a broken connection. */
  readonly id?: string;
  readonly data: unknown;
}

/** What a handler answers with. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as they are, under the type the route produces. */
  readonly bytes?: Uint8Array;
  /** Sent as they come, until there are no more or the caller has gone. */
  readonly events?: (gone: AbortSignal) => AsyncIterable<ServerEvent>;
  readonly headers?: Readonly<Record<string, string>>;
}
