import type { CaptureOptions } from './job.ts';
import type { Tier } from './ladder.ts';

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
}

/** An engine got no answer: a fact about the web, not a fault of ours. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly errorCode: 'TIMEOUT' | 'NETWORK' | 'BLOCKED';
  readonly reason: string;
  readonly signal: string;
}

/** One rung of the ladder. */
export interface Engine {
  readonly tier: Tier;
  /** @throws AppError where something of ours failed, and the capture should be tried again later */
  fetch(url: string, options: CaptureOptions, budget: Budget, workspaceId: string): Promise<Fetched | Unanswered>;
}
