import type { CaptureOptions } from './capture-options.ts';

/** Many pages taken on together. */
export interface Batch {
  readonly id: string;
  readonly workspaceId: string;
  readonly options: CaptureOptions;
  readonly requestId: string;
  /** Fetches at once to one host, of everything that runs for everyone. */
  readonly concurrency: number;
  /** Milliseconds between two fetches of one host. */
  readonly delayMs: number;
  readonly webhookUrl: string | undefined;
  readonly sealedSecret: Uint8Array | undefined;
  readonly createdAt: Date;
}

/** One page of a batch, claimed. */
export interface BatchPage {
  readonly captureId: string;
  readonly jobId: string;
  readonly host: string;
  readonly url: string;
  readonly attempts: number;
  /** How often its host has sent it back to wait. */
  readonly held: number;
}

/** How often a host may send a page back before that is what its row says. */
export const HELD_MAX = 8;
const HOLD_FIRST_SECONDS = 2;
const HOLD_MAX_SECONDS = 300;

/**
 * Seconds a host is held after it asked to be left alone: what its Retry-After says, or twice as long each time where it says
 * nothing (RFC 9110 10.2.3, RFC 6585 4).
 */
export function holdSeconds(retryAfterSeconds: number | undefined, held: number): number {
  return Math.min(HOLD_MAX_SECONDS, Math.max(1, retryAfterSeconds ?? HOLD_FIRST_SECONDS * 2 ** held));
}
