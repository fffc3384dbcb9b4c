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

/** The pages up to the first whose row is not there yet: a list must not skip what comes later. */
function upToMissing(ended: readonly RunPage[], rows: ReadonlyMap<string, PageRow>, skipsMissing: boolean): Pair[] {
  const pairs: Pair[] = [];
  for (const known of ended) {
    const row = rows.get(known.pageId);
    if (row !== undefined) pairs.push({ known, row });
    else if (!skipsMissing) break;
  }
  return pairs;
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
    const skips = isGivenUp(run, now());
    const pairs = upToMissing(ended, rows, skips);
    await pages.list(run, pairs);
    const areMissing = pairs.length < ended.length;
    const waits = !skips && areMissing;
    const last = skips ? ended.at(-1) : pairs.at(-1)?.known;
    const provisional = pairs.findLast(({ known }) => known.inLinks === undefined)?.known.number;
    const moved = await runs.advance(run.no, {
      ...(last === undefined ? {} : { listed: last.number }),
      ...(provisional === undefined ? {} : { provisional }),
      complete: isLast && !waits,
      ...stuck(run, waits && pairs.length === 0, skips && areMissing),
    });
    if (moved === undefined) return undefined;
    return { run: moved, next: waits ? 'waits' : ended.length < PAGES_AT_ONCE ? 'end' : 'more' };
  };
}

/** Each row is waited for by itself, as long as the run goes on; once it has ended, those after one that was given up are not. */
function stuck(run: ListedRun, isStuck: boolean, hasSkipped: boolean): { isStuck?: boolean } {
  return hasSkipped && run.status !== 'running' ? {} : { isStuck };
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
