import type { PageRow, RunPage } from '@tidemark/contracts/page/v1/page';
import { isGivenUp, type ListedRun } from '../domain/listed-run.ts';
import { isFinal, type RecordedPageStore } from '../store/recorded-page-store.ts';
import type { RunPageStore } from '../store/run-page-store.ts';
import type { Progress, RunStore } from '../store/run-store.ts';

const PAGES_AT_ONCE = 1_000;

/** Result of a batch: the run, and whether there are more pages now (`more`), rows or events are awaited (`waits`), or neither (`end`). */
export type Step = { readonly run: ListedRun; readonly next: 'more' | 'waits' | 'end' };

/** Processes the next pages of a run. @returns undefined if the run was discarded */
export type ProcessBatch = (run: ListedRun) => Promise<Step | undefined>;

interface Pair {
  readonly known: RunPage;
  readonly row: PageRow;
}

/** Which of the pages without a row are given up. */
type GivenUp = 'none' | 'first' | 'all';

/** The pages by which a list is extended. */
interface ListedRange {
  readonly pairs: readonly Pair[];
  /** The last page that is listed or given up. */
  readonly last: RunPage | undefined;
  readonly hasGivenUp: boolean;
  /** Whether the row of the next page is awaited. */
  readonly waits: boolean;
}

/** Returns the pages up to the first whose row is awaited: a list that continues after a page never returns to it. */
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

interface ListedBatch {
  /** Whether rows or events are awaited. */
  readonly waits: boolean;
  /** Whether no page follows the batch. */
  readonly isLast: boolean;
  readonly givenUp: GivenUp;
}

/** Returns the progress of a run whose list was extended. */
function progressAfter({ pairs, last, hasGivenUp }: ListedRange, { waits, isLast, givenUp }: ListedBatch): Progress {
  const provisional = pairs.findLast(({ known }) => !isFinal(known))?.known.number;
  return {
    ...(last === undefined ? {} : { listed: last.number }),
    ...(provisional === undefined ? {} : { provisional }),
    isListedToEnd: isLast && !waits,
    // The wait of an ended run applies to all its rows, so that it is not started again for the next one.
    ...(givenUp === 'all' && hasGivenUp ? {} : { isStuck: waits && last === undefined }),
  };
}

/** While the run is running, each missing row has a wait of its own; after its end, one wait applies to all of them. */
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

/** Returns the pages that follow `after` without a gap; of an ended run, up to the first without final details. */
function inSequence(pages: readonly RunPage[], after: number, hasEnded: boolean): readonly RunPage[] {
  const to = pages.findIndex((page, at) => page.number !== after + at + 1 || (hasEnded && !isFinal(page)));
  return to === -1 ? pages : pages.slice(0, to);
}

/** Returns the next recorded pages of a run, and whether they are the last ones or some are missing. */
async function nextOf(recorded: ListRunDeps['recorded'], run: ListedRun, givenUp: GivenUp) {
  const hasEnded = run.status !== 'running';
  const some = await recorded.after(run, run.listed, PAGES_AT_ONCE);
  // An event that has not been stored an hour after the end is in the dead-letter stream.
  const ended = givenUp === 'all' ? some : inSequence(some, run.listed, hasEnded);
  const isRest = some.length < PAGES_AT_ONCE && ended.length === some.length;
  const reached = ended.at(-1)?.number ?? run.listed;
  const isLast = hasEnded && (reached >= (run.total ?? 0) || (givenUp === 'all' && isRest));
  return { ended, isLast, isMissing: hasEnded && !isLast && ended.length < PAGES_AT_ONCE };
}

/** Lists the next pages of a run, at most a thousand. @returns undefined if the run was discarded */
export function makeListBatch({ recorded, runs, pages, now }: ListRunDeps): ProcessBatch {
  return async (run) => {
    const givenUp = givenUpOf(run, now());
    const { ended, isLast, isMissing } = await nextOf(recorded, run, givenUp);
    // A running run is read often; without new pages nothing is written.
    if (ended.length === 0 && run.status === 'running') return { run, next: 'end' };
    const rows = await pages.arrived(
      run,
      ended.map(({ pageId }) => pageId),
    );
    const range = listedRangeOf(ended, rows, givenUp);
    const waits = range.waits || isMissing;
    await pages.list(run, range.pairs);
    const moved = await runs.advance(run.no, progressAfter(range, { waits, isLast, givenUp }));
    if (moved === undefined) return undefined;
    return { run: moved, next: waits ? 'waits' : ended.length < PAGES_AT_ONCE ? 'end' : 'more' };
  };
}

/** Longest wait for the final details of an ended run, ms. */
const FINAL_WITHIN_MS = 60 * 60_000;

const hasEndedLongAgo = ({ endedAt }: ListedRun, now: Date): boolean =>
  endedAt !== undefined && now.getTime() - endedAt.getTime() > FINAL_WITHIN_MS;

/** Adds the final details to the next pages that were listed before the run ended. @returns undefined if the run was discarded */
export function makeCompleteBatch({ recorded, runs, pages, now }: ListRunDeps): ProcessBatch {
  return async (run) => {
    if (run.checked >= run.provisional) return { run, next: 'end' };
    const some = await recorded.after(run, run.checked, PAGES_AT_ONCE);
    const isOld = hasEndedLongAgo(run, now());
    const ended = isOld ? some : inSequence(some, run.checked, true);
    await pages.complete(run, ended);
    // Nothing more is awaited for an old run: what is recorded is all there is.
    const isWhole = isOld && some.length < PAGES_AT_ONCE;
    const checked = isWhole ? run.provisional : (ended.at(-1)?.number ?? run.checked);
    const moved = await runs.advance(run.no, { checked });
    if (moved === undefined) return undefined;
    if (moved.checked >= moved.provisional) return { run: moved, next: 'end' };
    return { run: moved, next: ended.length === PAGES_AT_ONCE ? 'more' : 'waits' };
  };
}
