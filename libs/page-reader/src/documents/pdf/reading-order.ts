import { ACROSS, COLUMN_OVERLAP, COLUMNS_DEPTH, LINES_NEEDED, PLACES, WORDS_NEEDED } from '../model/thresholds.ts';
import type { Segment } from './pdf-line.ts';

/**
 * Sorts segments into reading order: columns of prose one after the other, separated by what spans them; everything
 * else from top to bottom.
 */
export function inReadingOrder(segments: readonly Segment[], depth = 0): Segment[] {
  const sorted = [...segments].sort((a, b) => a.y - b.y || a.x - b.x);
  const gutter = depth >= COLUMNS_DEPTH ? undefined : findGutter(sorted);
  if (gutter === undefined) return sorted;
  const ordered: Segment[] = [];
  let left: Segment[] = [];
  let right: Segment[] = [];
  const flush = (): void => {
    ordered.push(...inReadingOrder(left, depth + 1), ...inReadingOrder(right, depth + 1));
    left = [];
    right = [];
  };
  for (const segment of sorted) {
    if (segment.right <= gutter) left.push(segment);
    else if (segment.x >= gutter) right.push(segment);
    else {
      flush();
      ordered.push(segment);
    }
  }
  flush();
  return ordered;
}

function findGutter(segments: readonly Segment[]): number | undefined {
  if (segments.length < LINES_NEEDED * 2) return undefined;
  const from = Math.min(...segments.map(({ x }) => x));
  const to = Math.max(...segments.map(({ right }) => right));
  let best: { at: number; across: number } | undefined;
  let run: number[] = [];
  for (let i = 0; i <= PLACES; i += 1) {
    const at = from + (to - from) * (0.2 + (0.6 * i) / PLACES);
    const across = segments.filter(({ x, right }) => x < at && right > at).length;
    if (best === undefined || across < best.across) {
      best = { at, across };
      run = [at];
    } else if (across === best.across) run.push(at);
  }
  if (best === undefined || best.across > segments.length * ACROSS) return undefined;
  const at = run[Math.floor(run.length / 2)] ?? best.at;
  return [at, ...run].find((place) => hasColumns(segments, place));
}

function hasColumns(segments: readonly Segment[], gutter: number): boolean {
  const left = segments.filter(({ right }) => right <= gutter);
  const right = segments.filter(({ x }) => x >= gutter);
  return isProse(left) && isProse(right) && overlap(left, right) > COLUMN_OVERLAP;
}

function isProse(side: readonly Segment[]): boolean {
  if (side.length < LINES_NEEDED) return false;
  const words = side.reduce((sum, { text }) => sum + wordsIn(text), 0);
  return words / side.length >= WORDS_NEEDED;
}

/** Han and kana have no spaces: two characters count as a word. */
const wordsIn = (text: string): number =>
  text.split(' ').length + (text.match(/[\u3040-\u30ff\u4e00-\u9fff]/g)?.length ?? 0) / 2;

/** Returns the share of the shorter side's height that overlaps the other side. */
function overlap(left: readonly Segment[], right: readonly Segment[]): number {
  const span = (side: readonly Segment[]): [number, number] => [
    Math.min(...side.map(({ y }) => y)),
    Math.max(...side.map(({ y }) => y)),
  ];
  const [leftTop, leftEnd] = span(left);
  const [rightTop, rightEnd] = span(right);
  const shared = Math.min(leftEnd, rightEnd) - Math.max(leftTop, rightTop);
  return shared / Math.max(1, Math.min(leftEnd - leftTop, rightEnd - rightTop));
}
