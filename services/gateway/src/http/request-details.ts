import type { Request, Response } from 'express';
import { fixedOriginOf } from './base-url.ts';
import { type CountedRequest, countRequest, type KeyCheck } from './check-key.ts';
import { hashOfBody } from './hash-of-body.ts';
import { clientGroup } from './trusted-proxies.ts';
import { unreadResponses } from './unread-responses.ts';

/** The key of a request that may be repeated, and the hash of its body. */
export interface Repetition {
  /** Empty: the request has none. */
  readonly idempotencyKey: string;
  /** SHA-256 of the canonical body if an Idempotency-Key was sent; otherwise empty. */
  readonly bodyHash: string;
}

/** The browser or program of a request that opens or changes a session. */
export interface Visitor {
  readonly client: { readonly ip: string; readonly userAgent: string; readonly sessionToken: string };
  /** Token in the session cookie; empty: none. */
  readonly sessionToken: string;
  /** Whether the browser would keep a session cookie. */
  readonly keepsCookie: boolean;
}

interface Source {
  readonly request: Request;
  readonly response: Response;
  readonly check: KeyCheck;
  readonly publicUrl: string | undefined;
  readonly sentBody: unknown;
  readonly idempotencyKey: string;
  readonly prefersLines: boolean;
}

/** Parts of an HTTP request that few routes need: each is read when a handler reads it. */
export class RequestDetails {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  /** The body as it was sent, before defaults and normalization; the schema has accepted it. */
  get sentBody(): unknown {
    return this.#source.sentBody;
  }

  get repetition(): Repetition {
    const { idempotencyKey, sentBody } = this.#source;
    return { idempotencyKey, bodyHash: idempotencyKey === '' ? '' : hashOfBody(sentBody) };
  }

  get visitor(): Visitor {
    const { request, check } = this.#source;
    const sessionToken = check.cookie.tokenOf(request);
    const client = { ip: request.ip ?? '', userAgent: request.get('user-agent') ?? '', sessionToken };
    return {
      client,
      sessionToken,
      keepsCookie: check.cookie.isUsable(request),
    };
  }

  /** Origin of links that are passed on. @throws AppError conflict where it is neither configured nor an address of this machine */
  get fixedOrigin(): string {
    const { request, publicUrl } = this.#source;
    return fixedOriginOf(request, publicUrl);
  }

  /** Group of the client's address, for limits of public routes. */
  get clientAddress(): string {
    return clientGroup(this.#source.request.ip ?? '');
  }

  /** Last-Event-ID of a resumed stream; empty for a new one. */
  get lastEventId(): string {
    return this.#source.request.get('last-event-id') ?? '';
  }

  /** Accept-Encoding of the client; empty: none. */
  get acceptEncoding(): string {
    return this.#source.request.get('accept-encoding') ?? '';
  }

  /** Whether the client prefers lines of JSON (application/x-ndjson) to JSON. */
  get prefersLines(): boolean {
    return this.#source.prefersLines;
  }

  /** Counts memory that the response keeps until its connection has closed. @throws AppError unavailable if responses keep too much */
  holdMemory(bytes: number): void {
    unreadResponses.hold(this.#source.response, bytes);
  }

  /** Counts the request of a public route in a rate window. @throws AppError rate_limited */
  async countRequest(subject: CountedRequest): Promise<void> {
    await countRequest(subject, this.#source.response, this.#source.check);
  }
}
