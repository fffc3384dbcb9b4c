import type { CallContext } from '@tidemark/service';
import type { Authenticated } from '../middleware/authenticated.ts';
import type { ListCursors } from '../requests/list-cursors.ts';
import type { StreamAccess } from './stream-access.ts';

/** The validated request that every handler gets. */
export interface EndpointRequest<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly requestId: string;
  /** Public base URL including the version prefix. */
  readonly baseUrl: string;
  readonly auth: Authenticated;
  /** Cursors of the list that this route returns. */
  readonly cursors: ListCursors;
  /** Context passed with every gRPC call. */
  readonly call: CallContext;
}

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  /** Position from which a client can resume. */
  readonly id?: string;
  readonly data: unknown;
}

/** A file that is sent while it is written. */
export interface FileResponse {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Aborted when the client has gone, and at the end. */
  readonly stop: AbortController;
}

/** The response of a handler. */
export interface EndpointResponse {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged with the content type of the route. */
  readonly bytes?: Uint8Array;
  /** Server-sent events; `signal` aborts when the client disconnects or its key is refused. */
  readonly events?: (signal: AbortSignal) => AsyncIterable<ServerEvent>;
  /** Streamed, with a content type in `headers`. */
  readonly file?: FileResponse;
  /** Access of an event stream, set for every stream of a route that requires a key. */
  readonly access?: StreamAccess;
  readonly headers?: Readonly<Record<string, string>>;
  /** New token of the session, set as its cookie; empty: the cookie is removed. */
  readonly session?: string;
}
