import { parentPort } from 'node:worker_threads';
import { type Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageDelta } from '../domain/page-delta.ts';
import { comparePages } from './compare-pages.ts';
import { degradedDelta, LARGE_BYTES } from './degraded-delta.ts';

/** Input of a thread. Blocks are sent encoded because bytes transfer cheaply. */
export interface CompareTask {
  readonly id: number;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** Time limit inside the thread, ms. */
  readonly deadlineMs: number;
  /** Compute only the degraded result. */
  readonly onlyDegraded?: true;
}

/** Messages of a thread: loaded, an interim degraded result, and the result. */
export type CompareMessage =
  | { readonly ready: true }
  | { readonly id: number; readonly delta: PageDelta; readonly isInterim?: true };

const send = (message: CompareMessage): void => parentPort?.postMessage(message);
const isVolatile = (block: Block): boolean => block.isVolatile === true;

parentPort?.on('message', ({ id, before, after, deadlineMs, onlyDegraded }: CompareTask) => {
  const startedAtMs = performance.now();
  const readings = { before: PageBlocks.decode(before), after: PageBlocks.decode(after), isVolatile };
  if (onlyDegraded === true) return send({ id, delta: degradedDelta(readings) });
  if (before.length + after.length > LARGE_BYTES) send({ id, delta: degradedDelta(readings), isInterim: true });
  const remainingMs = deadlineMs - (performance.now() - startedAtMs);
  send({ id, delta: comparePages(readings.before, readings.after, { deadlineMs: remainingMs, isVolatile }) });
});
send({ ready: true });
