import { EDGE_SEGMENTS, PAGES_NEEDED, ROWS, SHARE } from '../model/thresholds.ts';
import type { Segment } from './pdf-line.ts';

const NUMBER = /^(?:[-–—|]\s*)?(?:page\s+)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:\/|of)\s*\d{1,4})?(?:\s*[-–—|])?$/i;

/** Removes text that is repeated at the top and bottom of most pages: running headers, footers, page numbers. */
export function withoutRunningLines(pages: readonly (readonly Segment[])[]): Segment[][] {
  const edges = pages.map(edgesOf);
  const repeated = repeatedKeys(edges);
  const bare = pages.map((page, i) => {
    const edge = edges[i] ?? [];
    const running = new Set(edge.filter((each) => repeated.has(keyOf(each, edge)) || isOwnNumber(each, edge, i + 1)));
    return page.filter((each) => !running.has(each));
  });
  // If most pages would become empty, the repeated text is content and is kept.
  const filled = pages.filter((page) => page.length > 0).length;
  const emptied = bare.filter((page, i) => page.length === 0 && (pages[i] ?? []).length > 0).length;
  return emptied > filled / 2 ? pages.map((page) => [...page]) : bare;
}

function repeatedKeys(edges: readonly (readonly Segment[])[]): Set<string> {
  const seen = new Map<string, number>();
  for (const edge of edges) {
    for (const key of new Set(edge.map((each) => keyOf(each, edge)))) seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const needed = Math.max(PAGES_NEEDED, Math.floor(edges.length * SHARE));
  return new Set([...seen].filter(([, count]) => count >= needed).map(([key]) => key));
}

function edgesOf(page: readonly Segment[]): Segment[] {
  const rows = [...new Set(page.map(({ y }) => Math.round(y)))].sort((a, b) => a - b);
  const ends = new Set([...rows.slice(0, ROWS), ...rows.slice(-ROWS)]);
  const edge = page.filter(({ y }) => ends.has(Math.round(y)));
  return edge.length > EDGE_SEGMENTS ? [] : edge;
}

/**
 * Returns the key of a segment for comparing pages: its position, and its words without digits. The text of a header
 * beside a page number is ignored.
 */
function keyOf(segment: Segment, edge: readonly Segment[]): string {
  const place = Math.round(segment.y / 4);
  if (NUMBER.test(segment.text)) return `${place} a number`;
  return isNumbered(segment, edge) ? `${place} beside a number` : `${place} ${segment.text.replace(/\d+/g, '#')}`;
}

/** True for a header beside the page number, such as a chapter title: one of two segments in the first row. */
function isNumbered(segment: Segment, edge: readonly Segment[]): boolean {
  const row = edge.filter(({ y }) => Math.abs(y - segment.y) < 2);
  return row.length === 2 && row.some(({ text }) => NUMBER.test(text)) && edge.every(({ y }) => y >= segment.y - 2);
}

/** True for the page's own number on its lowest line. */
const isOwnNumber = (segment: Segment, edge: readonly Segment[], page: number): boolean =>
  segment.text === String(page) &&
  edge.length > 1 &&
  edge.every((other) => other === segment || other.y < segment.y - 2 * segment.size);
