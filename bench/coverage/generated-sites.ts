import type { HistoryCell } from '../../services/crawl/src/domain/coverage-estimate/estimate-coverage.ts';
import { hashOf, integerOf, type Random, randomOf } from '../shared/random.ts';

/** How the sources of a generated site lose pages. */
export const LOSSES = ['independent', 'by_section', 'by_depth', 'by_both', 'derived', 'new_pages'] as const;
/** `hidden`: two sources that depend on each other, which no counts can show. It is no goal of the estimate. */
export type Loss = (typeof LOSSES)[number] | 'hidden';

/** A generated site: its true number of pages, and what its sources list. */
export interface GeneratedSite {
  readonly loss: Loss;
  readonly pages: number;
  readonly sources: number;
  readonly cells: readonly HistoryCell[];
}

const MAX_DEPTH = 4;
/** Share of the pages that the earlier run had read, where there was one. */
const KNOWN = 0.8;

const logit = (share: number): number => Math.log(share / (1 - share));
const expit = (value: number): number => 1 / (1 + Math.exp(-value));
/** A standard normal number (Box and Muller). */
const normal = (next: Random): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

interface Place {
  readonly section: number;
  readonly depth: number;
  readonly isKnown: boolean;
}

/** Returns the probability with which a source lists a page, as a logit, by place. */
type SourceLogit = (place: Place) => number;

/** Links and sitemaps lose deep pages together; each section and each source differs. */
function sourceLogits(loss: Loss, sources: number, sections: number, next: Random): SourceLogit[] {
  // Feeds and lists name fewer pages than links and sitemaps.
  const bases = Array.from({ length: sources }, (_, at) => logit(at < 2 ? 0.6 + 0.37 * next() : 0.15 + 0.7 * next()));
  const shifts = Array.from({ length: sources }, () => Array.from({ length: sections }, () => normal(next)));
  const slope = 0.3 + 0.7 * next();
  return bases.map((base, source) => ({ section, depth, isKnown }) => {
    const shift = shifts[source]?.[section] ?? 0;
    const deep = -slope * (depth - 1) + 0.8;
    if (loss === 'by_section') return base + shift;
    if (loss === 'by_depth') return base + deep;
    if (loss === 'by_both') return base + 0.7 * shift + deep;
    return loss === 'new_pages' && !isKnown ? base - 1.5 : base;
  });
}

/** Draws the sources that list a page, as a bit set. `derivedBy`: how much more likely the second source lists what the first lists. */
function drawHistory(
  place: Place,
  { logits, derivedBy }: { readonly logits: readonly SourceLogit[]; readonly derivedBy: number },
  next: Random,
): number {
  let history = 0;
  for (const [source, logitOf] of logits.entries()) {
    const byFirst = (history & 1) === 1 ? derivedBy : -derivedBy;
    if (next() < expit(logitOf(place) + (source === 1 ? byFirst : 0))) history |= 1 << source;
  }
  return history;
}

/** Draws a site of 300 to 20,000 pages from a seed. A derived sitemap is written from the pages that links reach, with three or more sources. */
export function generateSite(seed: number, given?: Loss): GeneratedSite {
  const next = randomOf(hashOf('coverage', seed));
  const loss = given ?? LOSSES[seed % LOSSES.length] ?? 'independent';
  const pages = Math.round(300 * (20_000 / 300) ** next());
  const sources = loss === 'hidden' ? 2 : integerOf(next, loss === 'derived' ? 3 : 2, 5);
  const sections = integerOf(next, 1, 8);
  const logits = sourceLogits(loss, sources, sections, next);
  const dependence = 1 + next();
  const isDerived = loss === 'derived' || loss === 'hidden';
  const hasEarlier = loss === 'new_pages' || next() < 0.3;
  const counts = new Map<string, HistoryCell>();
  for (let page = 0; page < pages; page += 1) {
    const place: Place = {
      section: Math.floor(sections * next() ** 2),
      depth: integerOf(next, 1, MAX_DEPTH),
      isKnown: hasEarlier && next() < KNOWN,
    };
    const history = drawHistory(place, { logits, derivedBy: isDerived ? dependence : 0 }, next);
    const key = `${place.section} ${place.depth} ${place.isKnown} ${history}`;
    const cell = counts.get(key);
    const section = `section-${place.section}`;
    const count = (cell?.pages ?? 0) + 1;
    counts.set(key, {
      section,
      depth: place.depth,
      isKnown: place.isKnown,
      sources: history,
      pages: count,
      read: count,
    });
  }
  return { loss, pages, sources, cells: [...counts.values()].filter((cell) => cell.sources > 0) };
}
