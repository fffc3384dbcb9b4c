import type { CaptureOptions } from './job.ts';
import type { Tier } from './ladder.ts';
import type { LoginSession } from './login.ts';

/** Time and cancellation of one capture. */
export interface Budget {
  /** Milliseconds left for the whole capture. */
  remainingMs(): number;
  readonly signal: AbortSignal;
}

/** An engine got an answer: any status is one. */
export interface Fetched {
  readonly kind: 'fetched';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
  readonly landedUrl: string;
  readonly redirects: readonly string[];
  /** JPEG, where one was asked for. */
  readonly screenshot?: Uint8Array;
  /** What the reader of the page should know of the fetch. */
  readonly warnings?: readonly string[];
  /** What came of the actions asked for. */
  readonly actions?: readonly ActionOutcome[];
  readonly exitBytes?: number;
}

export interface ActionOutcome {
  readonly kind: string;
  readonly selector: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly note: string;
}

/** An engine got no answer: a fact about the web, not a fault of ours. */
export interface Unanswered {
  readonly kind: 'unanswered';
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

/** What an earlier answer of the same address may be compared by (RFC 9110 13.1). */
export interface Validators {
  readonly etag: string;
  readonly lastModified: string;
}

export interface FetchOrder {
  readonly url: string;
  readonly options: CaptureOptions;
  readonly workspaceId: string;
  readonly exit: ExitRoute | undefined;
  /** Pages of one session share cookies; empty: each page is alone. */
  readonly session: string;
  /** Asks for the page only where it has changed; the answer may then be a 304 without a body. */
  readonly unlessStill: Validators | undefined;
  /** Someone else holds the host back where it asks for that: a 429 or a 503 that says when to return is answered as it is. */
  readonly isPaced: boolean;
  /** Whom the page is read as; undefined: nobody. */
  readonly login: LoginSession | undefined;
}

/** One rung of the ladder. */
export interface Engine {
  readonly tier: Tier;
  /** @throws AppError where something of ours failed, and the capture should be tried again later */
  fetch(order: FetchOrder, budget: Budget): Promise<Fetched | Unanswered>;
}
