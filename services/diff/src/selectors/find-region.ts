import type { Element } from '@tidemark/page-reader/source';
import { isGeneratedName } from '../markup/generated-names.ts';
import { attributeIn, classesOf, elementsFrom } from '../markup/markup-tree.ts';
import { outermost } from './selection-cache.ts';
import { diceOf, type Fingerprint, fingerprintOf, type Span, shinglesIn, type WordedPage } from './shingles.ts';

/** The place of a text on a page: one element, or several of one kind. */
export interface Region {
  readonly elements: readonly Element[];
  /** Similarity to the searched text, 0 to 1. */
  readonly score: number;
  /** Similarity of the best other place on the page. */
  readonly secondScore: number;
}

/** Tie-break: the smallest element among near-equal scores. */
const SCORE_TOLERANCE = 0.005;
/** Several elements are chosen only if they score this much better than a single one. */
const SET_ADVANTAGE = 0.01;
/** Number of candidates scored exactly, after ranking by estimate. */
const FINALISTS = 24;
const MAX_GROUPS = 20_000;
const MAX_CLASSES = 12;

interface Candidate {
  readonly elements: readonly Element[];
  readonly spans: readonly Span[];
  readonly words: number;
  readonly score: number;
}

/**
 * Finds a text on a page by its shingles. `hadSeveral`: the text was in several elements. Undefined: no word of it
 * occurs.
 */
export function findRegion(worded: WordedPage, expected: Fingerprint, hadSeveral: boolean): Region | undefined {
  const scorer = new Scorer(worded, expected);
  const singles = finalists(
    scorer,
    [...worded.spans.keys()].map((element) => [element]),
  );
  const sets = finalists(scorer, groupsIn(worded));
  const single = smallestOfBest(singles);
  const set = smallestOfBest(sets);
  const advantage = (set?.score ?? 0) - (single?.score ?? 0);
  const best = advantage > (hadSeveral ? -SCORE_TOLERANCE : SET_ADVANTAGE) ? set : single;
  if (best === undefined || best.score === 0) return undefined;
  const others = singles.filter(({ spans: [span] }) => best.spans.every((own) => span && isDisjoint(own, span)));
  return {
    elements: best.elements,
    score: best.score,
    secondScore: Math.max(0, ...others.map((other) => other.score)),
  };
}

const isDisjoint = (a: Span, b: Span): boolean => a.to <= b.from || b.to <= a.from;

function finalists(scorer: Scorer, candidates: Iterable<readonly Element[]>): Candidate[] {
  return [...candidates]
    .flatMap((elements) => scorer.estimate(elements) ?? [])
    .sort((a, b) => b.score - a.score || a.words - b.words)
    .slice(0, FINALISTS)
    .map((candidate) => ({ ...candidate, score: scorer.exact(candidate.spans) }));
}

function smallestOfBest(candidates: readonly Candidate[]): Candidate | undefined {
  const best = Math.max(...candidates.map((candidate) => candidate.score));
  return candidates
    .filter((candidate) => candidate.score >= best - SCORE_TOLERANCE)
    .reduce<Candidate | undefined>(
      (smallest, one) => (smallest === undefined || one.words < smallest.words ? one : smallest),
      undefined,
    );
}

class Scorer {
  readonly #worded: WordedPage;
  readonly #expected: Fingerprint;
  /** Prefix sums of the searched shingles by word position. */
  readonly #hitsBefore: Uint32Array;

  constructor(worded: WordedPage, expected: Fingerprint) {
    this.#worded = worded;
    this.#expected = expected;
    const { words } = worded;
    this.#hitsBefore = new Uint32Array(words.length + 1);
    let at = 0;
    for (const run of shinglesIn(words, { from: 0, to: words.length }, expected.size)) {
      this.#hitsBefore[at + 1] = (this.#hitsBefore[at] ?? 0) + (expected.shingles.has(run) ? 1 : 0);
      at += 1;
    }
    this.#hitsBefore.fill(this.#hitsBefore[at] ?? 0, at);
  }

  /** Estimates the score by counting searched shingles: one subtraction per element. */
  estimate(elements: readonly Element[]): Candidate | undefined {
    const spans = elements.flatMap((element) => this.#worded.spans.get(element) ?? []);
    const { size, total } = this.#expected;
    let [words, runs, hits] = [0, 0, 0];
    for (const { from, to } of spans) {
      words += to - from;
      runs += to - from < size ? Math.min(1, to - from) : to - from - size + 1;
      hits += this.#hits(from, to);
    }
    if (hits === 0) return undefined;
    return { elements, spans, words, score: (2 * Math.min(hits, total)) / (runs + total) };
  }

  #hits(from: number, to: number): number {
    const { size, shingles } = this.#expected;
    if (to - from >= size) return (this.#hitsBefore[to - size + 1] ?? 0) - (this.#hitsBefore[from] ?? 0);
    for (const run of shinglesIn(this.#worded.words, { from, to }, size)) return shingles.has(run) ? 1 : 0;
    return 0;
  }

  exact(spans: readonly Span[]): number {
    return diceOf(this.#expected, fingerprintOf(this.#worded.words, spans, this.#expected.size));
  }
}

/** Groups elements of one kind, over the page and under one parent. */
function groupsIn({ page, spans }: WordedPage): Element[][] {
  const groups = new Map<string | Element, Map<string, Element[]>>();
  let count = 0;
  const add = (scope: string | Element, kind: string, element: Element): void => {
    const kinds = groups.get(scope) ?? new Map<string, Element[]>();
    groups.set(scope, kinds);
    const members = kinds.get(kind);
    if (members !== undefined) members.push(element);
    else if (count < MAX_GROUPS) {
      kinds.set(kind, [element]);
      count += 1;
    }
  };
  for (const element of elementsFrom(page.body)) {
    const span = spans.get(element);
    if (span === undefined || span.from === span.to) continue;
    for (const kind of kindsOf(element)) {
      add('page', kind, element);
      if (element.parent !== undefined) add(element.parent, kind, element);
    }
  }
  const several = [...groups.values()].flatMap((kinds) => [...kinds.values()].filter((members) => members.length > 1));
  return several.map(outermost).filter((members) => members.length > 1);
}

/** Returns the single-step selectors that match an element. */
function kindsOf(element: Element): string[] {
  const classes = classesOf(element)
    .filter((name) => !isGeneratedName(name))
    .slice(0, MAX_CLASSES);
  const marks = ['itemprop', 'role', 'data-testid', 'data-qa', 'data-component'].filter((name) =>
    Object.hasOwn(element.attributes, name),
  );
  return [
    element.tag,
    ...classes.map((name) => `.${name}`),
    ...marks.map((name) => `[${name}=${attributeIn(element, name)}]`),
  ];
}
