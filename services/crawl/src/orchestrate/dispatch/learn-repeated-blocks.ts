import type { Logger } from '@tidemark/service';
import { LRUCache } from 'lru-cache';
import { repeatedBlocksOf, SAMPLE_PAGES } from '../../domain/run/repeated-blocks.ts';
import type { Run } from '../../domain/run/run.ts';
import type { RepeatedBlockStore } from '../../store/runs/repeated-block-store.ts';

const RUNS_MAX = 1_000;
const NONE = Buffer.alloc(0);

interface LearnDeps {
  readonly store: Pick<RepeatedBlockStore, 'pagesOf' | 'startOf' | 'writeStart'>;
  readonly log: Pick<Logger, 'warn'>;
}

interface Learned {
  readonly blocks: Buffer;
  /** The sample does not change any more. */
  readonly isFull: boolean;
}

/**
 * Returns the blocks that repeat over the site of a run: learned from its own pages, until there are enough from those of
 * its earlier run. Everything is derived from stored pages, so that any instance learns the same.
 */
export function makeLearnRepeatedBlocks({ store, log }: LearnDeps): (run: Run) => Promise<Buffer> {
  const byRun = new LRUCache<string, Learned>({ max: RUNS_MAX });
  return async (run) => {
    const known = byRun.get(run.id);
    if (known?.isFull) return known.blocks;
    try {
      const before = known?.blocks ?? (await inherited(store, run));
      const pages = await store.pagesOf(run.no);
      const blocks = repeatedBlocksOf(pages) ?? before;
      byRun.set(run.id, { blocks, isFull: pages.length >= SAMPLE_PAGES });
      return blocks;
    } catch (error) {
      log.warn({ err: error, run: run.id }, 'repeated blocks could not be read, pages keep them');
      return known?.blocks ?? NONE;
    }
  };
}

/** Returns the repeated blocks of the earlier run, and stores them: most pages of a run may be unchanged and have no keys. */
async function inherited(store: LearnDeps['store'], { no, earlierNo }: Run): Promise<Buffer> {
  if (earlierNo === undefined) return NONE;
  const blocks = repeatedBlocksOf(await store.pagesOf(earlierNo)) ?? (await store.startOf(earlierNo));
  if (blocks.length > 0) await store.writeStart(no, blocks);
  return blocks;
}
