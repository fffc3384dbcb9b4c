import type { AnyRoute } from '@tidemark/api';
import type { CallContext } from '@tidemark/service';
import type { z } from 'zod';
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

/** Parts that every response may have. */
interface ResponseHead {
  readonly headers?: Readonly<Record<string, string>>;
  /** New token of the session, set as its cookie; empty: the cookie is removed. */
  readonly session?: string;
}

/** A file or a document, sent with the content type of the route or of `headers`. */
type FileContent =
  | { /** Sent unchanged. */ readonly bytes: Uint8Array }
  | { /** Sent while it is written. */ readonly file: FileResponse };

/** Server-sent events. */
interface EventContent {
  /** `signal` aborts when the client disconnects or its key is refused. */
  readonly events: (signal: AbortSignal) => AsyncIterable<ServerEvent>;
}

/** Permits immutable lists and objects wherever the contract has mutable ones: a response is only read. */
type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

/** The JSON body of a response with a schema, sent as it is. */
type JsonContent<Schema> = Schema extends z.ZodType ? { readonly body: Immutable<z.output<Schema>> } : never;

/** The content of a response that is not JSON: nothing, unless the route has such media types. */
type OtherContent<Schema, Media> = [Media] extends [never]
  ? Schema extends z.ZodType
    ? never
    : { readonly body?: undefined }
  : Media extends 'text/event-stream'
    ? EventContent
    : FileContent;

type MediaOf<R> = R extends { readonly alsoProduces?: readonly (infer Media)[] } ? Media : never;

/** A response of a route: one of the statuses that the contract declares, with the content that it declares for this status. */
export type EndpointResponse<R extends AnyRoute> = {
  [Status in keyof R['responses']]: ResponseHead & { readonly status: Extract<Status, number> } & (
      | JsonContent<R['responses'][Status]>
      | OtherContent<R['responses'][Status], MediaOf<R>>
    );
}[keyof R['responses']];

/** A response of any route, as it is sent. */
export interface SentResponse extends ResponseHead {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
  readonly file?: FileResponse;
  readonly events?: EventContent['events'];
  /** Access of an event stream, set for every stream of a route that requires a key. */
  readonly access?: StreamAccess;
}
