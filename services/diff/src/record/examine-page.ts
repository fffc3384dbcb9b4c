import type { Gate } from './at-most.ts';
import { type Comparison, comparePage, linksOf } from './compare-page.ts';
import { REDIRECTED_SIMILARITY, sameHost } from './find-moves.ts';
import { type Judgement, judgePage } from './judge-page.ts';
import type { PagePair } from './merge-pages.ts';
import { nextKnown } from './next-known.ts';
import { isFrontPage } from './page-key.ts';
import { type KnownPage, type PageReading, type Sight, saidVerdict, sightOf } from './page-reading.ts';
import type { RecordPorts } from './ports.ts';
import { type Baseline, type Coverage, isInDoubt } from './run-coverage.ts';
import { afterLook } from './second-looks.ts';
import { isFlooded } from './site-face.ts';
import { similarity, sketchPage } from './sketch-text.ts';
import { isStanding, type Survey } from './survey-run.ts';

/** What pages of a run are judged by, besides themselves. */
export interface Hearing {
  readonly ports: RecordPorts;
  readonly survey: Survey;
  /** What direct looks saw. */
  readonly looks: ReadonlyMap<string, PageReading>;
  readonly coverage: Coverage;
  readonly baseline: Baseline | undefined;
  readonly isRecrawl: boolean;
  readonly brokenFields: ReadonlySet<string>;
  /** Opens and compares no more pages at once than memory bears. */
  readonly few: Gate;
}

/** What was found of one page. */
export interface PageFinding {
  readonly pageKey: string;
  readonly known: KnownPage | undefined;
  /** What it was judged by. */
  readonly reading: PageReading | undefined;
  readonly judgement: Judgement;
  readonly comparison?: Comparison;
  /** It is served under another key now. */
  readonly servedAs?: PageReading;
  readonly links?: 'orphaned' | 'linked';
  readonly next: KnownPage | undefined;
  readonly verdicts: readonly [before: string, after: string];
}

/** Judges one page and, where its words decide, compares it. Undefined: the record does not speak of it. */
export async function examinePage(hearing: Hearing, pair: PagePair): Promise<PageFinding | undefined> {
  const { known } = pair;
  if (pair.current === undefined && !speaksOfUnreached(hearing, known)) return undefined;
  const target = pair.current === undefined ? hearing.survey.redirects.get(pair.pageKey) : undefined;
  if (target !== undefined && known !== undefined && (await isServedAs(hearing, known, target)))
    return served(known, target);
  const seen = sightings(hearing, pair, target !== undefined);
  const judgement = judgePage({
    standing: known?.state ?? (hearing.baseline === undefined ? 'unread' : 'absent'),
    sight: seen.sight,
    absences: known?.absences ?? 0,
    ...(seen.secondLook === undefined ? {} : { secondLook: seen.secondLook }),
    isInDoubt: isInDoubt(hearing.coverage),
    isNewsworthy: isNewsworthy(hearing.baseline, pair.current),
    cameIntoScope: pair.current !== undefined && !hearing.ports.scope.admittedBefore(pair.current.url),
    isRedirected: target !== undefined,
  });
  const finding = { pageKey: pair.pageKey, known, reading: seen.reading, judgement, verdicts: verdictsOf(known, seen) };
  if (judgement.outcome === 'compare' && known?.good !== undefined && seen.reading !== undefined)
    return compared(hearing, { ...finding, known, reading: seen.reading, isUnlinked: seen.isUnlinked }, known.good);
  return {
    ...finding,
    next: nextKnown({ known, reading: seen.reading, sight: seen.last, outcome: judgement.outcome }),
  };
}

interface Seen {
  /** What the run itself saw. */
  readonly sight: Sight;
  readonly secondLook: Sight | undefined;
  /** What was seen last, and its reading. */
  readonly last: Sight;
  readonly reading: PageReading | undefined;
  /** Nobody linked there, and it is still read. */
  readonly isUnlinked: boolean;
}

function speaksOfUnreached({ isRecrawl, ports }: Hearing, known: KnownPage | undefined): boolean {
  return !isRecrawl && isStanding(known) && ports.scope.admits(known.url);
}

function sightings({ survey, looks }: Hearing, { pageKey, current }: PagePair, isRedirected: boolean): Seen {
  const see = (reading: PageReading): Sight => {
    const sight = sightOf(reading);
    return sight === 'read' && isFlooded(reading, survey.floods) ? 'soft_missing' : sight;
  };
  const sight = current !== undefined ? see(current) : isRedirected ? 'soft_missing' : 'unreached';
  const look = looks.get(pageKey);
  if (look === undefined || (sight !== 'missing' && sight !== 'unreached'))
    return { sight, secondLook: undefined, last: sight, reading: current, isUnlinked: false };
  const secondLook = see(look);
  return { sight, secondLook, last: secondLook, reading: look, isUnlinked: sight === 'unreached' };
}

/** A deep address that leads to the front page is a soft 404, not a page served elsewhere. */
async function isServedAs({ ports }: Hearing, { pageKey, good }: KnownPage, target: PageReading): Promise<boolean> {
  if (good === undefined || sightOf(target) !== 'read') return false;
  if (isFrontPage(target.pageKey) || !sameHost(pageKey, target.pageKey)) return false;
  if (good.contentHash !== '' && good.contentHash === target.contentHash) return true;
  const [a, b] = await Promise.all([ports.open(good), ports.open(target)]);
  const [before, now] = [a && sketchPage(a.blocks), b && sketchPage(b.blocks)];
  return before !== undefined && now !== undefined && similarity(before, now) >= REDIRECTED_SIMILARITY;
}

function served(known: KnownPage, target: PageReading): PageFinding {
  const verdict = saidVerdict(target);
  return {
    pageKey: known.pageKey,
    known,
    reading: undefined,
    judgement: { outcome: 'compare', of: 'run' },
    servedAs: target,
    next: nextKnown({ known, reading: undefined, sight: 'missing', outcome: 'removed' }),
    verdicts: [known.lastVerdict, verdict],
  };
}

type Comparable = Omit<PageFinding, 'next' | 'reading'> & {
  readonly reading: PageReading;
  readonly isUnlinked: boolean;
};

async function compared(hearing: Hearing, page: Comparable, good: PageReading): Promise<PageFinding> {
  const { isUnlinked, ...finding } = page;
  const comparison = await comparePage(hearing, good, page.reading);
  // A shell is no reading: it never becomes a baseline.
  const isShell = comparison.result === 'unverified' && comparison.reason === 'shell';
  const links = toldLinks(hearing.coverage, good, page.reading, isUnlinked);
  return {
    ...finding,
    comparison,
    ...(links === undefined ? {} : { links }),
    next: nextKnown({
      ...page,
      reading: isUnlinked ? afterLook(page.reading, good, hearing.coverage) : page.reading,
      sight: isShell ? 'unreadable' : 'read',
      outcome: 'compare',
    }),
  };
}

/** Only a run that saw every page can say that none links there. */
function toldLinks(coverage: Coverage, good: PageReading, now: PageReading, isUnlinked: boolean): PageFinding['links'] {
  if (isUnlinked) return coverage.complete && good.inLinks !== 0 ? 'orphaned' : undefined;
  const links = linksOf(good, now);
  const isCertain = links === 'orphaned' ? coverage.complete : coverage.baselineComplete;
  return isCertain ? links : undefined;
}

function isNewsworthy(baseline: Baseline | undefined, current: PageReading | undefined): boolean {
  if (baseline === undefined) return false;
  return baseline.isComplete || (current?.lastModifiedMs ?? 0) > baseline.startedAtMs;
}

function verdictsOf(known: KnownPage | undefined, seen: Seen): [string, string] {
  return [known?.lastVerdict ?? '', seen.reading === undefined ? seen.sight : saidVerdict(seen.reading)];
}
