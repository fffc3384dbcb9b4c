import { parentPort } from 'node:worker_threads';
import { type Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageDelta } from '../domain/page-delta.ts';
import { comparePages } from './compare-pages.ts';
import { degradedDelta, LARGE_BYTES } from './degraded-delta.ts';

/** Two readings as a thread is given them: as they are stored, since bytes cross cheaply. */
export interface CompareTask {
  readonly id: number;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** Milliseconds after which the thread is to give up by itself. */
  readonly deadlineMs: number;
  /** There is no time to compare them: only what can be said without. */
  readonly onlyDegraded?: true;
}

/** What a comparing thread tells: that it is loaded, what it can say of a pair already, and what came of it. */
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
  const leftMs = deadlineMs - (performance.now() - startedAtMs);
  send({ id, delta: comparePages(readings.before, readings.after, { deadlineMs: leftMs, isVolatile }) });
});
send({ ready: true });
