import type { PageRow, RunPage } from '@tidemark/contracts/page/v1/page';
import { isGivenUp, type ListedRun } from '../domain/listed-run.ts';
import { isFinal, type RecordedPageStore } from '../store/recorded-page-store.ts';
import type { RunPageStore } from '../store/run-page-store.ts';
import type { RunStore } from '../store/run-store.ts';

const PAGES_AT_ONCE = 1_000;

/** What a step along a run's pages came to: there are more, rows are still on their way, or there are no more for now. */
export type Step = { readonly run: ListedRun; readonly next: 'more' | 'waits' | 'end' };

interface Pair {
  readonly known: RunPage;
  readonly row: PageRow;
}

/** Which pages whose rows are missing are given up. */
type GivenUp = 'none' | 'first' | 'all';

/** How far a list is extended. */
interface ListedRange {
  readonly pairs: readonly Pair[];
  /** The last page that is listed or given up. */
  readonly last: RunPage | undefined;
  readonly hasGivenUp: boolean;
  /** Whether the row of the next page is still on its way. */
  readonly waits: boolean;
}

/** The pages up to one whose row is waited for: a list must not skip what comes later. */
function listedRangeOf(ended: readonly RunPage[], rows: ReadonlyMap<string, PageRow>, givenUp: GivenUp): ListedRange {
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

/** Each row is waited for by itself while the run is running; once it has ended, an hour is enough for all of them. */
function givenUpOf(run: ListedRun, now: Date): GivenUp {
  if (!isGivenUp(run, now)) return 'none';
  return run.status === 'running' ? 'first' : 'all';
}

export interface ListRunDeps {
  readonly recorded: Pick<RecordedPageStore, 'after'>;
  readonly runs: RunStore;
  readonly pages: RunPageStore;
  readonly now: () => Date;
}

/** The pages that follow `after` without a gap; of a run that has ended, up to the first whose links are not counted. */
function inSequence(pages: readonly RunPage[], after: number, hasEnded: boolean): readonly RunPage[] {
  const to = pages.findIndex((page, at) => page.number !== after + at + 1 || (hasEnded && !isFinal(page)));
  return to === -1 ? pages : pages.slice(0, to);
}

/** What is recorded of the next pages of a run. */
async function nextOf(recorded: ListRunDeps['recorded'], run: ListedRun, givenUp: GivenUp) {
  const hasEnded = run.status !== 'running';
  const some = await recorded.after(run, run.listed, PAGES_AT_ONCE);
  // What has not arrived an hour after the end is in the dead-letter stream.
  const ended = givenUp === 'all' ? some : inSequence(some, run.listed, hasEnded);
  const isRest = some.length < PAGES_AT_ONCE && ended.length === some.length;
  const reached = ended.at(-1)?.number ?? run.listed;
  const isLast = hasEnded && (reached >= (run.total ?? 0) || (givenUp === 'all' && isRest));
  return { ended, isLast, isMissing: hasEnded && !isLast && ended.length < PAGES_AT_ONCE };
}

/** Lists pages of a run, a thousand at most. @returns undefined where the run is discarded by now */
export function makeListSome({ recorded, runs, pages, now }: ListRunDeps) {
  return async (run: ListedRun): Promise<Step | undefined> => {
    const givenUp = givenUpOf(run, now());
    const { ended, isLast, isMissing } = await nextOf(recorded, run, givenUp);
    // A running run is read often: without new pages there is nothing to write.
    if (ended.length === 0 && run.status === 'running') return { run, next: 'end' };
    const rows = await pages.arrived(
      run,
      ended.map(({ pageId }) => pageId),
    );
    const { pairs, last, hasGivenUp, waits: waitsForRow } = listedRangeOf(ended, rows, givenUp);
    const waits = waitsForRow || isMissing;
    await pages.list(run, pairs);
    const provisional = pairs.findLast(({ known }) => !isFinal(known))?.known.number;
    const moved = await runs.advance(run.no, {
      ...(last === undefined ? {} : { listed: last.number }),
      ...(provisional === undefined ? {} : { provisional }),
      isListedToEnd: isLast && !waits,
      // Of a run that has ended the hour is over for the rows behind as well.
      ...(givenUp === 'all' && hasGivenUp ? {} : { isStuck: waits && last === undefined }),
    });
    if (moved === undefined) return undefined;
    return { run: moved, next: waits ? 'waits' : ended.length < PAGES_AT_ONCE ? 'end' : 'more' };
  };
}

/** Longest wait for the final pages of a run that has ended, ms. */
const FINAL_WITHIN_MS = 60 * 60_000;

/** Adds to pages that were listed while their run was running the link counts that are final since its end. @returns undefined where it is discarded */
export function makeCompleteSome({ recorded, runs, pages, now }: ListRunDeps) {
  return async (run: ListedRun): Promise<Step | undefined> => {
    if (run.checked >= run.provisional) return { run, next: 'end' };
    const some = await recorded.after(run, run.checked, PAGES_AT_ONCE);
    const isOld = run.endedAt !== undefined && now().getTime() - run.endedAt.getTime() > FINAL_WITHIN_MS;
    const ended = isOld ? some : inSequence(some, run.checked, true);
    await pages.complete(run, ended);
    const isWhole = ended.length === some.length && some.length < PAGES_AT_ONCE;
    const last = ended.at(-1)?.number ?? run.checked;
    const checked = isOld && isWhole ? run.provisional : last;
    const moved = await runs.advance(run.no, { checked });
    if (moved === undefined) return undefined;
    if (moved.checked >= moved.provisional) return { run: moved, next: 'end' };
    return { run: moved, next: ended.length === PAGES_AT_ONCE ? 'more' : 'waits' };
  };
}
