import { type Halt, nameOf, type Rung } from './ladder.ts';
import type { Reading } from './page-row.ts';
import type { ActionOutcome, NoResponse } from './ports.ts';

/** One try of a page on one rung, and its result: the evidence of a verdict. */
export interface Attempt {
  readonly rung: string;
  readonly exit: string | null;
  readonly ms: number;
  readonly httpStatus: number | null;
  readonly landedUrl: string | null;
  readonly redirects: readonly string[];
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly bytes: number;
  readonly verdict: string;
  readonly errorCode: string;
  readonly reason: string;
  readonly signals: readonly string[];
  readonly warnings: readonly string[];
  readonly words: number;
  readonly actions: readonly ActionOutcome[];
}

/** Headers whose values are secrets of this session. */
const PRIVATE = new Set(['set-cookie', 'authorization', 'proxy-authorization', 'cookie']);

const shown = (headers: Reading['headers']): Attempt['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, PRIVATE.has(name) ? '(not shown)' : value]));

export function toAttempt(rung: Rung, exit: string | undefined, ms: number, outcome: Reading | NoResponse): Attempt {
  const base = { rung: nameOf(rung), exit: exit ?? null, ms: Math.round(ms) };
  if ('kind' in outcome) {
    const { errorCode, reason, signal } = outcome;
    const nothing = { httpStatus: null, landedUrl: null, redirects: [], headers: {}, bytes: 0, words: 0, actions: [] };
    return { ...base, ...nothing, verdict: 'blocked', errorCode, reason, signals: [signal], warnings: [] };
  }
  const { status, landedUrl, redirects, headers, bytes, classification, words, actions } = outcome;
  const { verdict, errorCode, reason, signals, warnings } = classification;
  return {
    ...base,
    httpStatus: status,
    landedUrl,
    redirects,
    headers: shown(headers),
    bytes,
    verdict,
    errorCode,
    reason,
    signals,
    warnings: [...warnings, ...outcome.warnings],
    words,
    actions,
  };
}

/** The evidence of a capture, stored beside its page. */
export interface Evidence {
  readonly robots: { readonly allowed: boolean; readonly reason: string } | null;
  readonly begunOn: string | null;
  readonly halted: Halt | null;
  readonly attempts: readonly Attempt[];
  /** Parts that the filters omitted from the content. */
  readonly removed: readonly unknown[];
}
