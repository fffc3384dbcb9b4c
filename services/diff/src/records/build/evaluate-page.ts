import { isGenericPage } from '../../coverage/generic-page-detector.ts';
import { type Baseline, type Coverage, isDoubtful } from '../../coverage/run-coverage.ts';
import { isPresent, type RunScan } from '../../coverage/scan-run.ts';
import { asKnownReading } from '../../coverage/verified-pages.ts';
import { type Classification, classifyPage } from '../../domain/classify-page.ts';
import type { PagePair } from '../../domain/merge-pages.ts';
import { nextKnownPage } from '../../domain/next-known-page.ts';
import { isFrontPage } from '../../domain/page-key.ts';
import {
  type KnownPage,
  type Observation,
  observationOf,
  type PageReading,
  type PageVariant,
  verdictLabel,
} from '../../domain/page-reading.ts';
import { asLanguageChange, type Comparison, comparePage, linksOf } from './compare-page.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { REDIRECTED_SIMILARITY, sameHost } from './find-moves.ts';
import type { RecordPorts } from './ports.ts';
import { similarity, sketchPage } from './text-sketch.ts';
import { type VariantEdits, withoutVariantEdits } from './variant-edits.ts';

/** Inputs of page evaluation that are common to all pages of a run. */
export interface EvaluationContext {
  readonly ports: RecordPorts;
  readonly scan: RunScan;
  /** Readings from the verification of missing pages, by page key. */
  readonly verified: ReadonlyMap<string, PageReading>;
  /** Readings of pages as the baseline's run read them, by page key. */
  readonly controls: ReadonlyMap<string, PageReading>;
  readonly variantEdits: VariantEdits;
  /** The only engine that the run's configuration allows; undefined: it is chosen per page. */
  readonly requiredEngine: 'http' | 'browser' | undefined;
  readonly coverage: Coverage;
  readonly baseline: Baseline | undefined;
  readonly isRecrawl: boolean;
  readonly brokenFields: ReadonlySet<string>;
  /** Limits the number of pages loaded and compared concurrently. */
  readonly limit: ConcurrencyLimit;
}

/** Result of evaluating one page. */
export interface PageEvaluation {
  readonly pageKey: string;
  readonly known: KnownPage | undefined;
  /** The reading that decided the outcome. */
  readonly reading: PageReading | undefined;
  readonly classification: Classification;
  readonly comparison?: Comparison;
  /** The reading under another key that now serves the page. */
  readonly servedAs?: PageReading;
  readonly links?: 'orphaned' | 'linked';
  readonly next: KnownPage | undefined;
  readonly verdicts: readonly [before: string, after: string];
}

/**
 * Classifies one page and compares its content where the classification requires it. Undefined: the record does not
 * cover the page.
 */
export async function evaluatePage(context: EvaluationContext, pair: PagePair): Promise<PageEvaluation | undefined> {
  const { known } = pair;
  if (pair.current === undefined && !coversUnreached(context, known)) return undefined;
  const target = pair.current === undefined ? context.scan.redirects.get(pair.pageKey) : undefined;
  if (target !== undefined && known !== undefined && (await isServedAs(context, known, target)))
    return servedElsewhere(known, target);
  const observed = observe(context, pair, target !== undefined);
  const classification = classifyPage({
    priorState: known?.state ?? (context.baseline === undefined ? 'unread' : 'absent'),
    observation: observed.observation,
    absences: known?.absences ?? 0,
    ...(observed.verification === undefined ? {} : { verification: observed.verification }),
    isDoubtful: isDoubtful(context.coverage),
    isReportableAsNew: isReportableAsNew(context.baseline, pair.current),
    cameIntoScope: pair.current !== undefined && !context.ports.scope.admittedByBaseline(pair.current.url),
    isRedirected: target !== undefined,
  });
  const evaluation = {
    pageKey: pair.pageKey,
    known,
    reading: observed.reading,
    classification,
    verdicts: verdictsOf(known, observed),
  };
  if (classification.outcome === 'compare' && known?.lastGood !== undefined && observed.reading !== undefined)
    return withComparison(
      context,
      { ...evaluation, known, reading: observed.reading, isUnlinked: observed.isUnlinked },
      known.lastGood,
    );
  return {
    ...evaluation,
    next: nextKnownPage({
      known,
      reading: observed.reading,
      observation: observed.latest,
      outcome: classification.outcome,
    }),
  };
}

interface Observed {
  /** Observation of the run itself. */
  readonly observation: Observation;
  readonly verification: Observation | undefined;
  /** The latest observation and its reading. */
  readonly latest: Observation;
  readonly reading: PageReading | undefined;
  /** No page links to it, and it is still readable. */
  readonly isUnlinked: boolean;
}

function coversUnreached({ isRecrawl, ports }: EvaluationContext, known: KnownPage | undefined): boolean {
  return !isRecrawl && isPresent(known) && ports.scope.admits(known.url);
}

function observe(
  { scan, verified }: EvaluationContext,
  { pageKey, current }: PagePair,
  isRedirected: boolean,
): Observed {
  const observationFor = (reading: PageReading): Observation => {
    const observation = observationOf(reading);
    return observation === 'read' && isGenericPage(reading, scan.genericSignatures) ? 'soft_missing' : observation;
  };
  const observation = current !== undefined ? observationFor(current) : isRedirected ? 'soft_missing' : 'unreached';
  const verifiedReading = verified.get(pageKey);
  if (verifiedReading === undefined || (observation !== 'missing' && observation !== 'unreached'))
    return { observation, verification: undefined, latest: observation, reading: current, isUnlinked: false };
  const verification = observationFor(verifiedReading);
  return {
    observation,
    verification,
    latest: verification,
    reading: verifiedReading,
    isUnlinked: observation === 'unreached',
  };
}

/** Whether the page is now served under the key of `target`. A redirect of a deep URL to the front page is a soft 404. */
async function isServedAs(
  { ports }: EvaluationContext,
  { pageKey, lastGood }: KnownPage,
  target: PageReading,
): Promise<boolean> {
  if (lastGood === undefined || observationOf(target) !== 'read') return false;
  if (isFrontPage(target.pageKey) || !sameHost(pageKey, target.pageKey)) return false;
  if (lastGood.contentHash !== '' && lastGood.contentHash === target.contentHash) return true;
  const [a, b] = await Promise.all([ports.loadContent(lastGood), ports.loadContent(target)]);
  const [before, now] = [a && sketchPage(a.blocks), b && sketchPage(b.blocks)];
  return before !== undefined && now !== undefined && similarity(before, now) >= REDIRECTED_SIMILARITY;
}

function servedElsewhere(known: KnownPage, target: PageReading): PageEvaluation {
  const verdict = verdictLabel(target);
  return {
    pageKey: known.pageKey,
    known,
    reading: undefined,
    classification: { outcome: 'compare', of: 'run' },
    servedAs: target,
    next: nextKnownPage({ known, reading: undefined, observation: 'missing', outcome: 'removed' }),
    verdicts: [known.lastVerdict, verdict],
  };
}

type Comparable = Omit<PageEvaluation, 'next' | 'reading'> & {
  readonly reading: PageReading;
  readonly isUnlinked: boolean;
};

async function withComparison(
  context: EvaluationContext,
  page: Comparable,
  lastGood: PageReading,
): Promise<PageEvaluation> {
  const { isUnlinked, ...evaluation } = page;
  const { comparison, variant } = await compareAlike(context, lastGood, page);
  // An app shell never becomes a baseline.
  const isShell = comparison.result === 'unverified' && comparison.reason === 'shell';
  const links = reportedLinks(context.coverage, lastGood, page.reading, isUnlinked);
  return {
    ...evaluation,
    comparison,
    ...(links === undefined ? {} : { links }),
    next: nextKnownPage({
      ...page,
      reading: isUnlinked ? asKnownReading(page.reading, lastGood, context.coverage) : page.reading,
      observation: isShell ? 'unreadable' : 'read',
      outcome: 'compare',
      ...(variant === undefined ? {} : { variant }),
    }),
  };
}

/** Number of consecutive readings in another language or by another engine after which that is the page. */
const VARIANT_READINGS = 3;

/** A comparison, and the variant that the reading stays until it is the page; absent: the reading is the next baseline. */
interface AcceptedComparison {
  readonly comparison: Comparison;
  readonly variant?: PageVariant;
}

/** Compares like with like: the control reading where the page has one, otherwise the run's own reading. */
async function compareAlike(
  context: EvaluationContext,
  lastGood: PageReading,
  page: Comparable,
): Promise<AcceptedComparison> {
  const control = context.controls.get(page.pageKey);
  const controlled = control && (await comparePage(context, lastGood, control));
  if (controlled !== undefined && controlled.result !== 'unverified') return { comparison: controlled };
  const comparison = await comparePage(context, lastGood, page.reading);
  if (comparison.result !== 'unverified' || comparison.doubted === undefined) return { comparison };
  const doubted = withoutVariantEdits(comparison.doubted, context.variantEdits);
  if (doubted === undefined) return { comparison: { result: 'same' } };
  return acceptVariant({ ...comparison, doubted }, page, context.requiredEngine);
}

/**
 * A single reading in another language or by another engine does not become the baseline, so that it does not spoil two
 * comparisons. If the page stays that way, or the configuration demands the engine, it does. Another language is then
 * the page's one change; another engine is no change of the page.
 */
function acceptVariant(
  comparison: Extract<Comparison, { result: 'unverified' }>,
  { known, reading }: Pick<Comparable, 'known' | 'reading'>,
  requiredEngine: EvaluationContext['requiredEngine'],
): AcceptedComparison {
  const { variant, doubted } = comparison;
  if (variant === undefined) return { comparison };
  const { key, fields } = variant;
  const before = known?.variant?.key === key ? known.variant.readings : 0;
  // A verification uses a plain fetch, whatever engine the run uses.
  if (reading.isRecaptured === true) return { comparison, variant: known?.variant ?? { key, readings: 0 } };
  const isInOtherLanguage = fields.length > 0;
  if (!isInOtherLanguage && reading.method === requiredEngine) return { comparison };
  if (before + 1 < VARIANT_READINGS) return { comparison, variant: { key, readings: before + 1 } };
  return { comparison: isInOtherLanguage && doubted !== undefined ? asLanguageChange(doubted, fields) : comparison };
}

/** Returns the link change to report. Only complete coverage shows that no page links to the page. */
function reportedLinks(
  coverage: Coverage,
  lastGood: PageReading,
  now: PageReading,
  isUnlinked: boolean,
): PageEvaluation['links'] {
  if (isUnlinked) return coverage.complete && lastGood.inLinks !== 0 ? 'orphaned' : undefined;
  const links = linksOf(lastGood, now);
  const isCertain = links === 'orphaned' ? coverage.complete : coverage.baselineComplete;
  return isCertain ? links : undefined;
}

function isReportableAsNew(baseline: Baseline | undefined, current: PageReading | undefined): boolean {
  if (baseline === undefined) return false;
  return baseline.isComplete || (current?.lastModifiedMs ?? 0) > baseline.startedAtMs;
}

function verdictsOf(known: KnownPage | undefined, observed: Observed): [string, string] {
  return [
    known?.lastVerdict ?? '',
    observed.reading === undefined ? observed.observation : verdictLabel(observed.reading),
  ];
}
