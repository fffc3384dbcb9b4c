import { parentPort } from 'node:worker_threads';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageDelta } from '../domain/page-delta.ts';
import { comparePages } from './compare-pages.ts';

/** Two readings as a thread is given them: functions don't cross, so that restless blocks are named by their places. */
export interface CompareTask {
  readonly id: number;
  readonly before: PageBlocks;
  readonly after: PageBlocks;
  readonly volatileBefore: readonly number[];
  readonly volatileAfter: readonly number[];
  readonly deadlineMs: number;
}

/** What a comparing thread tells: that it is loaded, and what came of each pair. */
export type CompareMessage = { readonly ready: true } | { readonly id: number; readonly delta: PageDelta };

const tell = (message: CompareMessage): void => parentPort?.postMessage(message);

parentPort?.on('message', ({ id, before, after, volatileBefore, volatileAfter, deadlineMs }: CompareTask) => {
  const restless = new Set([
    ...volatileBefore.map((at) => before.blocks[at]),
    ...volatileAfter.map((at) => after.blocks[at]),
  ]);
  tell({ id, delta: comparePages(before, after, { deadlineMs, volatile: (block) => restless.has(block) }) });
});
tell({ ready: true });
