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
  readonly isDegradedEnough?: true;
}

/** What a comparing thread tells: that it is loaded, what it can say of a pair already, and what came of it. */
export type CompareMessage =
  | { readonly ready: true }
  | { readonly id: number; readonly delta: PageDelta; readonly isFirst?: true };

const tell = (message: CompareMessage): void => parentPort?.postMessage(message);
const isVolatile = (block: Block): boolean => block.isVolatile === true;

parentPort?.on('message', ({ id, before, after, deadlineMs, isDegradedEnough }: CompareTask) => {
  const startedAtMs = performance.now();
  const readings = { before: PageBlocks.decode(before), after: PageBlocks.decode(after), isVolatile };
  if (isDegradedEnough === true) return tell({ id, delta: degradedDelta(readings) });
  if (before.length + after.length > LARGE_BYTES) tell({ id, delta: degradedDelta(readings), isFirst: true });
  const leftMs = deadlineMs - (performance.now() - startedAtMs);
  tell({ id, delta: comparePages(readings.before, readings.after, { deadlineMs: leftMs, volatile: isVolatile }) });
});
tell({ ready: true });
