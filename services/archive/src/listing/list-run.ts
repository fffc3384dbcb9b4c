import type { RunPage } from '@tidemark/contracts/crawl/v1/crawl';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { isGivenUp, type ListedRun } from '../domain/listed-run.ts';
import type { RunPageStore } from '../store/run-page-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { AskCrawl } from './ask-crawl.ts';

const PAGES_AT_ONCE = 1_000;

/** What a step along a run's pages came to: there are more, rows are still on their way, or there are no more for now. */
export type Step = { readonly run: ListedRun; readonly next: 'more' | 'waits' | 'end' };

interface Pair {
  readonly known: RunPage;
  readonly row: PageRow;
}

/** Which pages whose rows are missing are given up. */
type GivenUp = 'none' | 'first' | 'all';

/** How far a list goes on. */
interface Stretch {
  readonly pairs: readonly Pair[];
  /** The last page that is listed or given up. */
  readonly last: RunPage | undefined;
  readonly hasGivenUp: boolean;
  /** Whether the row of the next page is still on its way. */
  readonly waits: boolean;
}

/** The pages up to one whose row is waited for: a list must not skip what comes later. */
function stretchOf(ended: readonly RunPage[], rows: ReadonlyMap<string, PageRow>, givenUp: GivenUp): Stretch {
  const pairs: Pair[] = [];
  let last: RunPage | undefined;
  let hasGivenUp = false;
  for (const known of ended) {
    const row = rows.get(known.pageId);
    if (row !== undefined) pairs.push({ known, row });
    else if (givenUp === 'all' || (givenUp === 'first' && !hasGivenUp)) hasGivenUp = true;
    else return { pairs, last, hasGivenUp, waits: true };
    last = known;
  }
  return { pairs, last, hasGivenUp, waits: false };
}

/** Each row is waited for by itself as long as the run goes on; once it has ended, an hour is enough for all of them. */
function givenUpOf(run: ListedRun, now: Date): GivenUp {
  if (!isGivenUp(run, now)) return 'none';
  return run.status === 'running' ? 'first' : 'all';
}

export interface ListRunDeps {
  readonly crawl: AskCrawl;
  readonly runs: RunStore;
  readonly pages: RunPageStore;
  readonly now: () => Date;
}

/** Lists pages of a run, as many at once as are asked for in one call. @returns undefined where the run is discarded by now */
export function makeListSome({ crawl, runs, pages, now }: ListRunDeps) {
  return async (run: ListedRun): Promise<Step | undefined> => {
    const ended = await crawl.ended(run, run.listed, PAGES_AT_ONCE);
    const isLast = ended.length < PAGES_AT_ONCE && run.status !== 'running';
    // Whoever watches a run asks again and again: nothing new is nothing to write.
    if (ended.length === 0 && !isLast) return { run, next: 'end' };
    const rows = await pages.arrived(
      run,
      ended.map(({ pageId }) => pageId),
    );
    const givenUp = givenUpOf(run, now());
    const { pairs, last, hasGivenUp, waits } = stretchOf(ended, rows, givenUp);
    await pages.list(run, pairs);
    const provisional = pairs.findLast(({ known }) => known.inLinks === undefined)?.known.number;
    const moved = await runs.advance(run.no, {
      ...(last === undefined ? {} : { listed: last.number }),
      ...(provisional === undefined ? {} : { provisional }),
      complete: isLast && !waits,
      // Of a run that has ended the hour is over for the rows behind as well.
      ...(givenUp === 'all' && hasGivenUp ? {} : { isStuck: waits && last === undefined }),
    });
    if (moved === undefined) return undefined;
    return { run: moved, next: waits ? 'waits' : ended.length < PAGES_AT_ONCE ? 'end' : 'more' };
  };
}

/** Longest that what is known of a run that has ended is waited for. */
const FACTS_WITHIN_MS = 60 * 60_000;

/** Adds to pages that were listed while their run went on what is known now that it has ended. @returns undefined where it is discarded */
export function makeCompleteSome({ crawl, runs, pages, now }: ListRunDeps) {
  return async (run: ListedRun): Promise<Step | undefined> => {
    if (run.checked >= run.provisional) return { run, next: 'end' };
    const ended = await crawl.ended(run, run.checked, PAGES_AT_ONCE);
    const isOld = now().getTime() - run.createdAt.getTime() > FACTS_WITHIN_MS;
    if (!isOld && ended.some(({ inLinks }) => inLinks === undefined)) return { run, next: 'waits' };
    await pages.complete(run, ended);
    const checked = ended.length < PAGES_AT_ONCE ? run.provisional : (ended.at(-1)?.number ?? run.provisional);
    const moved = await runs.advance(run.no, { checked });
    return moved === undefined ? undefined : { run: moved, next: moved.checked < moved.provisional ? 'more' : 'end' };
  };
}
