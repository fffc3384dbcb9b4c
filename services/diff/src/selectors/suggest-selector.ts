import { findElements } from '@tidemark/page-reader/source';
import { Deadline } from '../comparison/deadline.ts';
import { type MarkupPage, parseMarkup, TooLarge, textOf } from '../markup/markup-tree.ts';
import { findRegion, type Region } from './find-region.ts';
import { outermost, SelectionCache } from './selection-cache.ts';
import { STYLE_TRUST } from './selector-style.ts';
import {
  diceOf,
  type Fingerprint,
  fingerprintOf,
  readWords,
  type Span,
  shingleSize,
  type WordedPage,
  wordsIn,
} from './shingles.ts';
import { type WrittenSelector, writeSelectors } from './write-selectors.ts';

/** A replacement for a broken selector. */
export interface SuggestedSelector {
  readonly selector: string;
  /** 0 to 1, from the similarity to the lost text, the number of pages and the stability of the selector. */
  readonly confidence: number;
  /** Number of pages on which it matches the right element. */
  readonly pagesChecked: number;
  /** Text it matches on the first page, shortened. */
  readonly text: string;
}

/** Maximum number of pages used, and of candidate selectors tried on them. */
const MAX_PAGES = 10;
const MAX_CANDIDATES = 60;
/** Maximum number of ancestors with the same text whose selectors are tried too. */
const MAX_WRAPPERS = 5;
const DEADLINE_MS = 8_000;
/** Minimum similarity to recognise the region. */
const MIN_SIMILARITY = 0.5;
/** Minimum similarity of matched text and region for a selector to be right on a page. */
const MIN_MATCH = 0.95;
const MAX_TEXT_CHARS = 300;
/** If another region scores within this gap, the result is ambiguous. */
const MIN_SCORE_GAP = 0.1;
const AMBIGUOUS_FACTOR = 0.6;

export interface SuggestOptions {
  /** Time limit; nothing is suggested after it. */
  readonly deadlineMs?: number;
}

/**
 * Finds a selector that matches on the later readings what `selector` matched on the earlier ones. Both lists hold the
 * same pages in the same order. The result is right on every page where the region is recognised; undefined: none
 * found. An XPath gets a CSS selector. Never throws.
 */
export function suggestSelector(
  beforeHtml: readonly string[],
  afterHtml: readonly string[],
  selector: string,
  options: SuggestOptions = {},
): SuggestedSelector | undefined {
  const deadline = new Deadline(options.deadlineMs ?? DEADLINE_MS);
  const lostTexts = beforeHtml.slice(0, MAX_PAGES).map((html) => {
    const page = parsed(html);
    return page === undefined ? [] : outermost(findElements(page, selector)).map((element) => textOf(element));
  });
  return suggestForRegions(lostTexts, afterHtml, deadline);
}

/** As `suggestSelector`, where only the matched texts are known: per page the text of each matched element. */
export function suggestForTexts(
  lostTexts: readonly (readonly string[])[],
  afterHtml: readonly string[],
  options: SuggestOptions = {},
): SuggestedSelector | undefined {
  return suggestForRegions(lostTexts, afterHtml, new Deadline(options.deadlineMs ?? DEADLINE_MS));
}

function suggestForRegions(
  lostTexts: readonly (readonly string[])[],
  afterHtml: readonly string[],
  deadline: Deadline,
): SuggestedSelector | undefined {
  const pages = lostTexts.slice(0, MAX_PAGES).flatMap((texts, at) => {
    const page = texts.some((text) => text !== '') ? parsed(afterHtml[at] ?? '') : undefined;
    return page === undefined ? [] : [{ page, texts }];
  });
  const regions = pages.flatMap(({ page, texts }) => (deadline.isOver ? [] : (locate(page, texts) ?? [])));
  // A selector that fits only the few pages that still have the text may be wrong on all others.
  if (regions.length === 0 || regions.length * 2 < pages.length) return undefined;
  return firstMatching(regions, deadline);
}

/** A lost region that was found again on one page. */
interface RecoveredRegion {
  readonly selected: SelectionCache;
  readonly worded: WordedPage;
  readonly region: Region;
  /** Fingerprint of the region's current text. */
  readonly fingerprint: Fingerprint;
}

function parsed(html: string): MarkupPage | undefined {
  try {
    return parseMarkup(html);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

function locate(page: MarkupPage, texts: readonly string[]): RecoveredRegion | undefined {
  const expected = fingerprintOfTexts(texts);
  const worded = readWords(page);
  const region = findRegion(worded, expected, texts.length > 1);
  if (region === undefined || region.score < MIN_SIMILARITY) return undefined;
  const spans = region.elements.flatMap((element) => worded.spans.get(element) ?? []);
  return {
    selected: new SelectionCache(page),
    worded,
    region,
    fingerprint: fingerprintOf(worded.words, spans, expected.size),
  };
}

function fingerprintOfTexts(texts: readonly string[]): Fingerprint {
  const words: number[] = [];
  const spans: Span[] = texts.map((text) => {
    const from = words.length;
    for (const word of wordsIn(text)) words.push(word);
    return { from, to: words.length };
  });
  return fingerprintOf(words, spans, shingleSize(words.length));
}

function firstMatching(regions: readonly RecoveredRegion[], deadline: Deadline): SuggestedSelector | undefined {
  const tried = new Set<string>();
  // Candidates come from every page: the id of one page may not exist on others.
  const written = regions
    .flatMap((recovered) => selectorsFor(recovered))
    .filter(({ selector }) => !tried.has(selector) && tried.add(selector));
  const trust = ({ style }: WrittenSelector): number => STYLE_TRUST[style];
  for (const candidate of written.sort((a, b) => trust(b) - trust(a)).slice(0, MAX_CANDIDATES)) {
    if (deadline.isOver) return undefined;
    if (!regions.every((recovered) => matchesRegion(candidate.selector, recovered))) continue;
    const [first] = regions;
    const element = first?.selected.all(candidate.selector)[0];
    return {
      selector: candidate.selector,
      confidence: confidenceIn(candidate, regions),
      pagesChecked: regions.length,
      text: element === undefined ? '' : textOf(element, MAX_TEXT_CHARS),
    };
  }
  return undefined;
}

/** Returns selectors for the region, or for an ancestor without further words. */
function selectorsFor({ selected, worded: { spans }, region }: RecoveredRegion): WrittenSelector[] {
  const [inner] = region.elements;
  if (region.elements.length !== 1 || inner === undefined) return writeSelectors(selected, region.elements);
  const names = writeSelectors(selected, [inner]);
  const span = spans.get(inner);
  let ancestor = inner.parent;
  for (let up = 0; ancestor !== undefined && up < MAX_WRAPPERS; up += 1, ancestor = ancestor.parent) {
    const wider = spans.get(ancestor);
    if (span === undefined || wider === undefined || wider.from !== span.from || wider.to !== span.to) break;
    names.push(...writeSelectors(selected, [ancestor]));
  }
  return names;
}

function matchesRegion(selector: string, { selected, worded, region, fingerprint }: RecoveredRegion): boolean {
  const found = outermost(selected.all(selector));
  if (found.length === 0 || (region.elements.length === 1 && found.length > 1)) return false;
  const spans = found.flatMap((element) => worded.spans.get(element) ?? []);
  return diceOf(fingerprint, fingerprintOf(worded.words, spans, fingerprint.size)) >= MIN_MATCH;
}

/** Five pages give full confidence; a single one may match by chance. */
const pagesFactor = (pages: number): number => Math.min(1, 0.85 + 0.03 * pages);

function confidenceIn({ style }: WrittenSelector, regions: readonly RecoveredRegion[]): number {
  const similarity = regions.reduce((sum, { region }) => sum + region.score, 0) / regions.length;
  const isAmbiguous = regions.some(({ region }) => region.secondScore > region.score - MIN_SCORE_GAP);
  const confidence =
    similarity * STYLE_TRUST[style] * pagesFactor(regions.length) * (isAmbiguous ? AMBIGUOUS_FACTOR : 1);
  return Math.round(confidence * 1_000) / 1_000;
}
