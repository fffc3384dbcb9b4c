import type { Caller } from '@tidemark/contracts';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageBodies } from '@tidemark/contracts/page/v1/page';
import { contentBlocks } from '@tidemark/page-reader/source';
import type { CallContext, Peer } from '@tidemark/service';
import pLimit from 'p-limit';
import type { ComparePool } from '../comparison/compare-pool.ts';
import { StoredBlocks } from '../comparison/stored-blocks.ts';
import type { CapturePair } from '../domain/capture-pair.ts';
import type { WordChanges, WordChangesStore } from '../store/word-changes-store.ts';
import { makeLoadBodies } from './load-captures.ts';

/** Time limit of one call, ms: pairs that are not compared by then are left out. */
const CALL_MS = 15_000;
/** Pairs whose captures are in memory at the same time. */
const CONCURRENT_PAIRS = 4;

/**
 * Counts the words of the content that differ in each pair, in their order, and stores the counts. Undefined: a capture no longer exists or
 * was not read as text, or the time of the call was over.
 */
export type CountWordChanges = (
  call: CallContext & { readonly caller: Caller },
  projectId: string,
  pairs: readonly CapturePair[],
) => Promise<readonly (WordChanges | undefined)[]>;

export interface CountWordChangesDeps {
  readonly archive: Peer;
  readonly wordChanges: Pick<WordChangesStore, 'find' | 'store'>;
  readonly comparePool: Pick<ComparePool, 'compareNow'>;
  readonly nowMs: () => number;
}

export function makeCountWordChanges(deps: CountWordChangesDeps): CountWordChanges {
  const { archive, wordChanges, comparePool, nowMs } = deps;
  return async (call, projectId, pairs) => {
    const untilMs = nowMs() + CALL_MS;
    const known = await wordChanges.find(projectId, pairs);
    const load = makeLoadBodies(archive, ['blocks'], call);
    const atOnce = pLimit(CONCURRENT_PAIRS);
    const counted = await Promise.all(
      pairs.map((pair, at) => known[at] ?? atOnce(() => (nowMs() > untilMs ? undefined : count(pair)))),
    );
    const isNew = (_: unknown, at: number): boolean => known[at] === undefined && counted[at] !== undefined;
    await wordChanges.store(
      { projectId, workspaceId: call.caller.workspaceId },
      pairs.flatMap((pair, at) => {
        const changes = counted[at];
        return changes !== undefined && isNew(pair, at) ? [{ pair, changes }] : [];
      }),
    );
    return counted;

    async function count(pair: CapturePair): Promise<WordChanges | undefined> {
      const [before, after] = await Promise.all([
        load({ runId: pair.beforeRunId, pageId: pair.beforePageId }),
        load({ runId: pair.afterRunId, pageId: pair.afterPageId }),
      ]);
      const [old, now] = [contentOf(before), contentOf(after)];
      if (old === undefined || now === undefined) return undefined;
      const { wordsAdded, wordsRemoved } = await comparePool.compareNow(old, now);
      return { wordsAdded, wordsRemoved };
    }
  };
}

function contentOf(bodies: PageBodies | undefined): PageBlocks | undefined {
  if (bodies?.blocks === undefined) return undefined;
  const page = new StoredBlocks(bodies.blocks);
  const { version, sections, anchors } = page;
  return { version, sections: [...sections], anchors: [...anchors], blocks: [...contentBlocks(page.blocks)], head: [] };
}
