import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageDelta } from '../../domain/page-delta.ts';
import { observationOf, type PageContent, type PageReading } from '../../domain/page-reading.ts';
import type { RecapturedPage } from '../../readings/recapture-page.ts';
import { decodeContent } from '../../store/recaptured-page-store.ts';
import { isRecentlyFetched, type RecaptureSample, recaptureSample } from '../recapture-sample.ts';

/** Pages recaptured together, whose contents are in memory at one time. */
const MAX_BATCH = 25;
/** Recaptures of a page. */
const ROUNDS = 3;

export interface RecaptureRoundsDeps {
  readonly recapturePage: (url: string) => Promise<RecapturedPage | undefined>;
  /** Loads the content of a first capture. */
  readonly loadContent: (reading: PageReading) => Promise<PageContent | undefined>;
  readonly compare: (before: PageBlocks, after: PageBlocks) => Promise<PageDelta>;
  /** Waits; ms. */
  readonly wait: (ms: number) => Promise<unknown>;
  readonly nowMs: () => number;
  /** Delay between two recaptures of a page, ms. */
  readonly gapMs: number;
  /** Time limit, from the call, ms. A page that is not read in full by then is left out. */
  readonly timeoutMs: number;
}

/** A page after some recaptures. */
interface PageInProgress {
  readonly first: PageReading;
  readonly reading: PageReading;
  /** Undefined: the first capture, which is loaded only where it differs. */
  readonly blocks: PageBlocks | undefined;
  readonly differences: readonly PageDelta[];
  readonly readAtMs: number;
}

/**
 * Recaptures pages three times, `gapMs` apart, and compares each reading with the one before. Pages whose first three
 * readings are equal are not read a fourth time. A page with an inconclusive reading is left out.
 */
export async function recaptureRounds(
  deps: RecaptureRoundsDeps,
  pages: readonly PageReading[],
): Promise<RecaptureSample[]> {
  const endsAtMs = deps.nowMs() + deps.timeoutMs;
  const samples: RecaptureSample[] = [];
  const waiting = [...pages];
  while (waiting.length > 0 && deps.nowMs() < endsAtMs) {
    let batch = await startBatch(deps, waiting);
    for (let round = 1; round < ROUNDS && batch.length > 0; round += 1)
      batch = await readAgain(deps, batch, { isLast: round === ROUNDS - 1, endsAtMs });
    samples.push(...batch.flatMap(sampleOf));
  }
  return samples;
}

/** Recaptures the first of the waiting pages: as many as fit into the gap between two recaptures of a page. */
async function startBatch(deps: RecaptureRoundsDeps, waiting: PageReading[]): Promise<PageInProgress[]> {
  const batch: PageInProgress[] = [];
  const untilMs = deps.nowMs() + deps.gapMs;
  do {
    const first = waiting.shift();
    if (first === undefined || !isRecentlyFetched(first, deps.nowMs())) continue;
    const page = await readNext(deps, { first, reading: first, blocks: undefined, differences: [], readAtMs: 0 });
    if (page !== undefined) batch.push(page);
  } while (waiting.length > 0 && batch.length < MAX_BATCH && deps.nowMs() < untilMs);
  return batch;
}

/** Recaptures the pages of a batch once more, each not before the gap has passed. */
async function readAgain(
  deps: RecaptureRoundsDeps,
  batch: readonly PageInProgress[],
  { isLast, endsAtMs }: { readonly isLast: boolean; readonly endsAtMs: number },
): Promise<PageInProgress[]> {
  const read: PageInProgress[] = [];
  for (const page of batch) {
    if (isLast && page.differences.every(isEmpty)) {
      read.push(page);
      continue;
    }
    const waitMs = page.readAtMs + deps.gapMs - deps.nowMs();
    if (waitMs > 0) await deps.wait(waitMs);
    const next = deps.nowMs() > endsAtMs ? undefined : await readNext(deps, page);
    if (next !== undefined) read.push(next);
  }
  return read;
}

/** Recaptures a page and compares it with its last reading; undefined: inconclusive. */
async function readNext(deps: RecaptureRoundsDeps, page: PageInProgress): Promise<PageInProgress | undefined> {
  const recaptured = await deps.recapturePage(page.first.url);
  if (recaptured?.content === undefined || !areComparable(page.reading, recaptured.reading)) return undefined;
  const { reading } = recaptured;
  const { blocks } = decodeContent(recaptured.content);
  const difference =
    reading.comparedHash === page.reading.comparedHash ? NO_DIFFERENCE : await differenceFrom(deps, page, blocks);
  // A degraded comparison does not say which single blocks differ.
  if (difference === undefined || difference.isDegraded) return undefined;
  const differences = [...page.differences, difference];
  return { first: page.first, reading, blocks, differences, readAtMs: deps.nowMs() };
}

async function differenceFrom(
  { loadContent, compare }: RecaptureRoundsDeps,
  page: PageInProgress,
  blocks: PageBlocks,
): Promise<PageDelta | undefined> {
  const before = page.blocks ?? (await loadContent(page.first))?.blocks;
  return before && compare(before, blocks);
}

const NO_DIFFERENCE: PageDelta = {
  blocks: [],
  fields: [],
  wordsAdded: 0,
  wordsRemoved: 0,
  isReordered: false,
  isDegraded: false,
};

const isEmpty = ({ blocks, fields }: PageDelta): boolean => blocks.length + fields.length === 0;

const sampleOf = ({ first, blocks, differences }: PageInProgress): RecaptureSample[] =>
  blocks === undefined ? [] : [recaptureSample(first.pageKey, blocks, differences)];

/** Whether both readings are good, of the same page, and made by the same rules. */
const areComparable = (before: PageReading, after: PageReading): boolean =>
  observationOf(after) === 'read' &&
  after.comparedHash !== '' &&
  before.pageKey === after.pageKey &&
  before.contentVariantKey === after.contentVariantKey &&
  before.blocksVersion === after.blocksVersion;
