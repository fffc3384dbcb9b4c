import { type Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { serveTasks } from '@tidemark/worker-threads';
import type { PageDelta } from '../domain/page-delta.ts';
import { comparePages } from './compare-pages.ts';
import { degradedDelta, LARGE_BYTES } from './degraded-delta.ts';

/** Input of a thread. Blocks are sent encoded because bytes transfer cheaply. */
export interface CompareTask {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** Time limit inside the thread, ms. */
  readonly deadlineMs: number;
  /** Compute only the degraded result. */
  readonly onlyDegraded?: true;
}

const isVolatile = (block: Block): boolean => block.isVolatile === true;

/** Compares a pair. Of a large pair, the degraded result is reported first: the comparison may exhaust the thread. */
function compare(task: CompareTask, report: (interim: PageDelta) => void): PageDelta {
  const startedAtMs = performance.now();
  const { before, after, deadlineMs, onlyDegraded } = task;
  const readings = { before: PageBlocks.decode(before), after: PageBlocks.decode(after), isVolatile };
  if (onlyDegraded === true) return degradedDelta(readings);
  if (before.length + after.length > LARGE_BYTES) report(degradedDelta(readings));
  const remainingMs = deadlineMs - (performance.now() - startedAtMs);
  return comparePages(readings.before, readings.after, { deadlineMs: remainingMs, isVolatile });
}

serveTasks<CompareTask, PageDelta, PageDelta>((task, report) => () => compare(task, report));
