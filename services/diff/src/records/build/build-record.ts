import {
  type Baseline,
  type Coverage,
  coverageOf,
  isHistory,
  mayVerify,
  type RecordedRun,
} from '../../coverage/run-coverage.ts';
import { type RunScan, scanRun, withVerifications } from '../../coverage/scan-run.ts';
import { sortVerifications } from '../../coverage/verified-pages.ts';
import { mergePages } from '../../domain/merge-pages.ts';
import { folderOf } from '../../domain/page-key.ts';
import type { PageReading } from '../../domain/page-reading.ts';
import type { Overrides } from '../../volatility/ignored-reason.ts';
import { VolatilityModel } from '../../volatility/volatility-model.ts';
import type { EntryOrigin } from '../entries/entry.ts';
import { EntryBuilder } from '../entries/entry-builder.ts';
import { EditCounter, NO_FOLDING } from '../entries/fold-edits.ts';
import { limitConcurrency } from './concurrency-limit.ts';
import { type EvaluationContext, evaluatePage, type PageEvaluation } from './evaluate-page.ts';
import { mapInOrder } from './map-in-order.ts';
import { MoveCandidates, moveEntry } from './move-candidates.ts';
import type { RecordPorts } from './ports.ts';
import type { RecordCounts } from './record-counts.ts';
import { RECORD_RULES_VERSION } from './record-rules-version.ts';
import { pageTitle, RecordWriter } from './record-writer.ts';
import { variantEditsOf } from './variant-edits.ts';
import { type WholePage, wholePageOf } from './whole-page.ts';

/** Input of a record. */
export interface RecordRequest {
  readonly run: RecordedRun;
  /** The last full run before that read pages; absent: this is the first. */
  readonly baseline?: Baseline;
  /** Number of broken selectors, and the fields that use them. */
  readonly selectorBreaks: number;
  readonly brokenFields: ReadonlySet<string>;
  readonly templateChanges: 'fold' | 'each';
  /** Places whose changes a person requested to report, or to ignore. */
  readonly volatileOverrides: Overrides;
  /** The only engine that the run's configuration allows; absent: it is chosen per page. */
  readonly requiredEngine?: 'http' | 'browser';
}

/** A record without its entries. */
export interface RecordHead {
  readonly projectId: string;
  readonly runId: string;
  readonly rulesVersion: number;
  readonly baseline: string | null;
  readonly counts: RecordCounts;
  readonly coverage: Coverage;
  /** Pages that moved to another URL; included in modified. */
  readonly moved: number;
  readonly entries: number;
}

/** Pages evaluated concurrently. Most need only their hashes and do not wait for loaded ones. */
const MAX_CONCURRENT_EVALUATIONS = 512;
/** Pages loaded and compared concurrently; bounds the memory for their content. */
const MAX_CONCURRENT_COMPARISONS = 32;

/**
 * Builds the record of a run. Passes twice over the rows, in key order and in bounded memory, and loads only pages that
 * differ. Deterministic: the same inputs give the same bytes.
 */
export const buildRecord =
  (ports: RecordPorts) =>
  async (request: RecordRequest): Promise<RecordHead> => {
    const context = await prepare(ports, request);
    const { run, baseline } = request;
    const origin: EntryOrigin = { projectId: run.projectId, runId: run.id, firstSeenAt: run.finishedAt };
    const writer = new RecordWriter(ports.sink, origin, {
      // A first run has no baseline: its pages are counted, without entries.
      isFirst: baseline === undefined,
      isHistory: isHistory(run),
    });
    try {
      return await writeRecord(context, request, writer);
    } finally {
      await writer.drain();
    }
  };

async function writeRecord(
  context: EvaluationContext,
  request: RecordRequest,
  writer: RecordWriter,
): Promise<RecordHead> {
  const { ports } = context;
  const { run, baseline } = request;
  const volatility = new VolatilityModel(await ports.learnedVolatility(), request.volatileOverrides);
  const totals = await evaluateAll(context, writer, volatility);
  const moved = await writeMoves(context, writer, totals.moveCandidates);
  const { pagesPerFolder } = context.scan;
  const learned = volatility.finishComparison(run, (folder) => pagesPerFolder.get(folder) ?? 0);
  if (isHistory(run)) await ports.sink.volatility(learned);
  const folding =
    request.templateChanges === 'fold' ? totals.edits.folding(pagesPerFolder, totals.compared) : NO_FOLDING;
  const builder = new EntryBuilder(folding, volatility, run.id);
  for await (const page of ports.spool.all()) await writer.comparedPage(builder.build(page, baseline?.runId ?? ''));
  for (const folded of builder.foldedEntries()) await writer.entry(folded);
  const { counts, entries } = await writer.finish(request.selectorBreaks);
  return {
    projectId: run.projectId,
    runId: run.id,
    rulesVersion: RECORD_RULES_VERSION,
    baseline: baseline?.runId ?? null,
    counts,
    coverage: context.coverage,
    moved,
    entries,
  };
}

/** Collects everything that the evaluation of single pages depends on. */
async function prepare(ports: RecordPorts, request: RecordRequest): Promise<EvaluationContext> {
  const { run, baseline, brokenFields } = request;
  const scan = await scanRun(mergePages(ports.knownPages(), ports.currentReadings()), ports.scope, run);
  const verifiedReadings = await verifyMissing(ports, request, scan);
  const { verified, redirects } = sortVerifications(scan, verifiedReadings);
  const coverage = coverageOf(run, baseline, { ...withVerifications(scan, verified), verified: verifiedReadings.size });
  const controls = await readControls(ports, request, scan);
  return {
    ports,
    scan: { ...scan, redirects },
    verified,
    controls,
    variantEdits: await variantEditsOf(ports, scan.toControl, controls),
    requiredEngine: request.requiredEngine,
    coverage,
    baseline,
    isRecrawl: run.isRecrawl,
    brokenFields,
    limit: limitConcurrency(MAX_CONCURRENT_COMPARISONS),
  };
}

async function verifyMissing(
  ports: RecordPorts,
  { run, baseline }: RecordRequest,
  scan: RunScan,
): Promise<ReadonlyMap<string, PageReading>> {
  const isNeeded = scan.toVerify.length > 0 && mayVerify(coverageOf(run, baseline, scan.counts));
  return isNeeded ? ports.verify(scan.toVerify) : new Map<string, PageReading>();
}

/** Reads pages as the baseline's run read them. A run that was stopped allows no further fetches. */
async function readControls(
  ports: RecordPorts,
  { run, baseline }: RecordRequest,
  { toControl, counts }: RunScan,
): Promise<ReadonlyMap<string, PageReading>> {
  const isNeeded = toControl.length > 0 && mayVerify(coverageOf(run, baseline, counts));
  return isNeeded ? ports.control(toControl.map(({ lastGood }) => lastGood)) : new Map<string, PageReading>();
}

interface PageTotals {
  readonly edits: EditCounter;
  readonly moveCandidates: MoveCandidates;
  readonly compared: number;
}

/** Evaluates all pages. Writes final results; keeps move candidates and differing pages for later. */
async function evaluateAll(
  context: EvaluationContext,
  writer: RecordWriter,
  volatility: VolatilityModel,
): Promise<PageTotals> {
  const { ports } = context;
  const [edits, moveCandidates] = [new EditCounter(), new MoveCandidates()];
  let compared = 0;
  const pairs = mergePages(ports.knownPages(), ports.currentReadings());
  for await (const evaluation of mapInOrder(pairs, MAX_CONCURRENT_EVALUATIONS, (pair) => evaluatePage(context, pair))) {
    if (evaluation === undefined) continue;
    await writer.known(evaluation.next);
    if (isMovable(evaluation.classification.outcome, evaluation.servedAs) && moveCandidates.add(evaluation)) continue;
    if (evaluation.comparison !== undefined) compared += 1;
    if (evaluation.comparison?.result !== 'differs') {
      await writer.evaluation(evaluation, await wholePage(context, evaluation));
      continue;
    }
    const { pageKey, known, reading, links, verdicts, comparison } = evaluation;
    const template = volatility.templates.assign(folderOf(pageKey), comparison.anchors);
    const { changedShare, isContentEdited } = comparison;
    const delta = volatility.withoutOverruled(template, comparison.delta);
    volatility.observe({ pageKey, template }, delta);
    const page = {
      pageKey,
      url: reading?.url ?? known?.url ?? pageKey,
      title: pageTitle(evaluation),
      delta,
      changedShare,
      isContentEdited,
      template,
      baselineRunId: known?.lastGood?.runId ?? '',
      verdicts,
      pageStates: comparison.pageStates,
      ...(links === undefined ? {} : { links }),
    };
    edits.add(page);
    await ports.spool.put(page);
  }
  return { edits, moveCandidates, compared };
}

const isMovable = (outcome: string, servedAs: PageReading | undefined): boolean =>
  outcome === 'removed' || outcome === 'added' || servedAs !== undefined;

async function writeMoves(
  context: EvaluationContext,
  writer: RecordWriter,
  moveCandidates: MoveCandidates,
): Promise<number> {
  const { moved, servedElsewhere, unmoved } = await moveCandidates.resolve(context);
  for (const move of moved) {
    await writer.moved(await moveEntry(context, move));
    await writer.alias(move.from.pageKey, move.to.pageKey, move.reason);
  }
  for (const evaluation of servedElsewhere) await writer.evaluation(evaluation);
  const loaded = mapInOrder(iterate(unmoved), MAX_CONCURRENT_COMPARISONS, async (evaluation) => ({
    evaluation,
    whole: await wholePage(context, evaluation),
  }));
  for await (const { evaluation, whole } of loaded) await writer.evaluation(evaluation, whole);
  return moved.length;
}

/** Returns the content of an added or removed page. The first run of a project has no entries to show it. */
const wholePage = (context: EvaluationContext, evaluation: PageEvaluation): Promise<WholePage | undefined> =>
  context.baseline === undefined ? Promise.resolve(undefined) : wholePageOf(context.ports, evaluation);

async function* iterate<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
