import { SKETCH_SIZE, type Sketch, similarity } from './text-sketch.ts';

/** A removed or added page with its sketch. */
export interface Sketched {
  readonly pageKey: string;
  readonly sketch: Sketch;
}

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly similarity: number;
}

/** Minimum similarity of two URLs of one page; each must be the other's best match. */
export const MOVED_SIMILARITY = 0.85;
/** Minimum similarity if the old URL redirects to the new one. */
export const REDIRECTED_SIMILARITY = 0.5;

const BANDS = 16;
const ROWS = SKETCH_SIZE / BANDS;
/** Candidates per band and value; more indicate boilerplate, where every page matches every other. */
const MAX_IN_BAND = 32;

/**
 * Matches removed with added pages of the same host (MinHash with locality-sensitive hashing: only pages that agree in
 * a whole band are compared). Ties are broken by the smaller key.
 */
export function findMoves(removed: readonly Sketched[], added: readonly Sketched[]): Move[] {
  const bands = bandsOf(removed);
  const best = new Map<string, Move>();
  const bestTo = new Map<string, Move>();
  for (const page of added)
    for (const candidate of similarCandidates(bands, page)) {
      const move = { from: candidate.pageKey, to: page.pageKey, similarity: similarity(candidate.sketch, page.sketch) };
      if (move.similarity < MOVED_SIMILARITY || !sameHost(move.from, move.to)) continue;
      keepBetter(best, move.from, move);
      keepBetter(bestTo, move.to, move);
    }
  return [...best.values()]
    .filter((move) => bestTo.get(move.to)?.from === move.from)
    .sort((a, b) => (a.from < b.from ? -1 : 1));
}

function bandsOf(pages: readonly Sketched[]): ReadonlyMap<string, readonly Sketched[]> {
  const bands = new Map<string, Sketched[]>();
  for (const page of pages)
    for (const band of bandKeys(page.sketch)) {
      const members = bands.get(band);
      if (members === undefined) bands.set(band, [page]);
      else if (members.length < MAX_IN_BAND) members.push(page);
    }
  return bands;
}

function similarCandidates(
  bands: ReadonlyMap<string, readonly Sketched[]>,
  { sketch }: Sketched,
): ReadonlySet<Sketched> {
  return new Set(bandKeys(sketch).flatMap((band) => bands.get(band) ?? []));
}

function bandKeys(sketch: Sketch): string[] {
  return Array.from({ length: BANDS }, (_, band) => `${band}:${sketch.slice(band * ROWS, (band + 1) * ROWS).join()}`);
}

function keepBetter(best: Map<string, Move>, key: string, move: Move): void {
  const known = best.get(key);
  if (known === undefined || isBetter(move, known)) best.set(key, move);
}

function isBetter(a: Move, b: Move): boolean {
  if (a.similarity !== b.similarity) return a.similarity > b.similarity;
  return a.from === b.from ? a.to < b.to : a.from < b.from;
}

/** Whether two keys have the same host, ignoring `www.`. */
export function sameHost(a: string, b: string): boolean {
  return hostOf(a) === hostOf(b);
}

const hostOf = (key: string): string => (key.split(/[/?]/, 1)[0] ?? '').replace(/^www\./, '');
