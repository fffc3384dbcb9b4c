import { isGenericPage } from '../coverage/generic-page-detector.ts';
import { type Baseline, type Coverage, isDoubtful } from '../coverage/run-coverage.ts';
import { isPresent, type RunScan } from '../coverage/scan-run.ts';
import { asKnownReading } from '../coverage/verified-pages.ts';
import { isFrontPage } from '../domain/page-key.ts';
import {
  type KnownPage,
  type Observation,
  observationOf,
  type PageReading,
  verdictLabel,
} from '../domain/page-reading.ts';
import { REDIRECTED_SIMILARITY, sameHost } from '../moves/find-moves.ts';
import { similarity, sketchPage } from '../moves/text-sketch.ts';
import { type Classification, classifyPage } from '../outcomes/classify-page.ts';
import { nextKnownPage } from '../outcomes/next-known-page.ts';
import type { ConcurrencyLimit } from '../streaming/concurrency-limit.ts';
import type { PagePair } from '../streaming/merge-pages.ts';
import { type Comparison, comparePage, linksOf } from './compare-page.ts';
import type { RecordPorts } from './ports.ts';

/** What pages of a run are judged by, besides themselves. */
export interface EvaluationContext {
  readonly ports: RecordPorts;
  readonly scan: RunScan;
  /** What direct looks saw. */
  readonly verified: ReadonlyMap<string, PageReading>;
  readonly coverage: Coverage;
  readonly baseline: Baseline | undefined;
  readonly isRecrawl: boolean;
  readonly brokenFields: ReadonlySet<string>;
  /** Opens and compares no more pages at once than memory bears. */
  readonly limit: ConcurrencyLimit;
}

/** What was found of one page. */
export interface PageEvaluation {
  readonly pageKey: string;
  readonly known: KnownPage | undefined;
  /** What it was judged by. */
  readonly reading: PageReading | undefined;
  readonly classification: Classification;
  readonly comparison?: Comparison;
  /** It is served under another key now. */
  readonly servedAs?: PageReading;
  readonly links?: 'orphaned' | 'linked';
  readonly next: KnownPage | undefined;
  readonly verdicts: readonly [before: string, after: string];
}

/** Judges one page and, where its words decide, compares it. Undefined: the record does not speak of it. */
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
  /** What the run itself saw. */
  readonly observation: Observation;
  readonly verification: Observation | undefined;
  /** What was seen last, and its reading. */
  readonly latest: Observation;
  readonly reading: PageReading | undefined;
  /** Nobody linked there, and it is still read. */
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

/** A deep address that leads to the front page is a soft 404, not a page served elsewhere. */
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
  const comparison = await comparePage(context, lastGood, page.reading);
  // A shell is no reading: it never becomes a baseline.
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
    }),
  };
}

/** Only a run that saw every page can say that none links there. */
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
