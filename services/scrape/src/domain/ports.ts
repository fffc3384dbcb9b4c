import type { CaptureOptions } from './job.ts';
import type { Tier } from './ladder.ts';
import type { LoginSession } from './login.ts';

/** Time limit and cancellation of one capture. */
export interface Budget {
  /** Milliseconds left for the whole capture. */
  remainingMs(): number;
  readonly signal: AbortSignal;
}

/** An engine received a response of any status. */
export interface Fetched {
  readonly kind: 'fetched';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Reason phrase. */
  readonly statusText?: string;
  readonly httpVersion?: '1.1' | '2';
  /** Headers of the last request; absent for a page of the browser. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
  readonly landedUrl: string;
  readonly redirects: readonly string[];
  /** JPEG; present if requested. */
  readonly screenshot?: Uint8Array;
  /** Warnings for the page row. */
  readonly warnings?: readonly string[];
  /** Results of the requested actions. */
  readonly actions?: readonly ActionOutcome[];
  readonly exitBytes?: number;
  /** Time to the head of the response of the page's own host, ms; absent where it was not measured: in a browser, through an exit, after a redirect. */
  readonly latencyMs?: number | undefined;
  /** Called when `body` is not used any more: the memory of large bodies is limited. */
  readonly release?: () => void;
}

export interface ActionOutcome {
  readonly kind: string;
  readonly selector: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly note: string;
}

/** An engine received no response. This is a result, not an error of this service. */
export interface NoResponse {
  readonly kind: 'no_response';
  readonly errorCode: 'TIMEOUT' | 'NETWORK' | 'BLOCKED';
  readonly reason: string;
  readonly signal: string;
  /** The exit was not reached for a reason of Tidemark's own, which says nothing about its health. */
  readonly isExitUntested?: boolean;
}

/** The lease of an exit for one attempt, and the proxy of browser-pool that reaches sites through it. */
export interface ExitRoute {
  readonly leaseId: string;
  /** The exit's. */
  readonly name: string;
  readonly proxy: ExitProxy;
}

/** The CONNECT endpoint of browser-pool, with the lease's credentials for it. */
export interface ExitProxy {
  /** Fetches with equal keys share connections: one for each exit and workspace. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** A secret: never logged. */
  readonly password: string;
}

/** Validators of an earlier response, for a conditional request (RFC 9110 13.1). */
export interface Validators {
  readonly etag: string;
  readonly lastModified: string;
}

export interface FetchOrder {
  readonly url: string;
  readonly options: CaptureOptions;
  readonly workspaceId: string;
  readonly exit: ExitRoute | undefined;
  /** Pages of one session share cookies; empty: the page has its own. */
  readonly session: string;
  /** Makes the request conditional; the response may be a 304 without a body. */
  readonly unlessStill: Validators | undefined;
  /** The login to fetch with; undefined: none. */
  readonly login: LoginSession | undefined;
}

/** Fetches pages for one tier of the ladder. */
export interface Engine {
  readonly tier: Tier;
  /** Returns every response without a retry: the caller paces the host. @throws AppError if this service or a dependency failed and the capture should be retried later */
  fetch(order: FetchOrder, budget: Budget): Promise<Fetched | NoResponse>;
}
