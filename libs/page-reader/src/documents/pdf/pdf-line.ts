import { BASELINE, COLUMN_GAP, MIDDLE_HEIGHT, WORD_GAP } from '../model/thresholds.ts';
/** Text and its link target; empty: no link. */
export interface Part {
  readonly text: string;
  readonly href: string;
}

/** A piece of text as positioned by the file. Units are points from the page's top left corner. */
export interface Run {
  readonly text: string;
  readonly x: number;
  /** Position of the baseline; grows downwards. */
  readonly y: number;
  readonly width: number;
  readonly size: number;
  /** True for a monospaced font. */
  readonly isCode: boolean;
  readonly isRtl: boolean;
}

/** Text with free space on both sides: a line of a column, or a cell of a table. */
export interface Segment {
  readonly parts: readonly Part[];
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  readonly isCode: boolean;
}

/** Segments on one baseline of one column, left to right. */
export interface Line extends Segment {
  readonly segments: readonly Segment[];
}

/** A link's area and its target. */
export interface LinkArea {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly url: string;
}

/** Groups the runs of one page into segments. */
export function segmentsOf(runs: readonly Run[], links: readonly LinkArea[]): Segment[] {
  const rows: Run[][] = [];
  let row: Run[] = [];
  let rowY = Number.NEGATIVE_INFINITY;
  for (const run of [...runs].sort((a, b) => a.y - b.y)) {
    const size = Math.max(run.size, row[0]?.size ?? 0);
    if (run.y - rowY > BASELINE * size) {
      row = [];
      rows.push(row);
      rowY = run.y;
    }
    row.push(run);
  }
  return rows.flatMap((each) => segmentsIn(each, links));
}

function segmentsIn(row: readonly Run[], links: readonly LinkArea[]): Segment[] {
  const groups: Run[][] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const run of [...row].sort((a, b) => a.x - b.x)) {
    const group = groups.at(-1);
    if (group === undefined || run.x - right > COLUMN_GAP * run.size) groups.push([run]);
    else group.push(run);
    right = Math.max(right, run.x + run.width);
  }
  return groups.map((group) => segmentOf(group, links));
}

function segmentOf(group: readonly Run[], links: readonly LinkArea[]): Segment {
  const isRtl = group.filter((run) => run.isRtl).length * 2 > group.length;
  const ordered = isRtl ? [...group].reverse() : group;
  const parts: Part[] = [];
  let before: Run | undefined;
  for (const run of ordered) {
    const gap = before === undefined ? 0 : isRtl ? before.x - run.x - run.width : run.x - before.x - before.width;
    if (before !== undefined && gap > WORD_GAP * run.size) parts.push({ text: ' ', href: '' });
    parts.push(...linkedParts(run, links));
    before = run;
  }
  const largest = group.reduce((a, b) => (b.size > a.size ? b : a));
  const text = collapseLine(parts.map((part) => part.text).join(''));
  return {
    parts,
    text,
    x: group[0]?.x ?? 0,
    right: Math.max(...group.map((run) => run.x + run.width)),
    y: largest.y,
    size: largest.size,
    isCode: group.every((run) => run.isCode),
  };
}

/** Splits a run at the borders of links, at whole words, because the file only has areas. */
function linkedParts(run: Run, links: readonly LinkArea[]): Part[] {
  const middle = run.y - run.size * MIDDLE_HEIGHT;
  const hit = links.find(
    (link) => middle > link.top && middle < link.bottom && link.left < run.x + run.width && link.right > run.x,
  );
  if (hit === undefined || run.width <= 0) return [{ text: run.text, href: '' }];
  const letter = run.width / run.text.length;
  const words = run.text.split(/(\s+)/);
  const parts: Part[] = [];
  let at = run.x;
  for (const word of words) {
    const centre = at + (word.length * letter) / 2;
    at += word.length * letter;
    const href = centre > hit.left && centre < hit.right ? hit.url : '';
    const last = parts.at(-1);
    if (last !== undefined && (last.href === href || word.trim() === '')) {
      parts[parts.length - 1] = { text: last.text + word, href: last.href };
    } else parts.push({ text: word, href });
  }
  return parts;
}

/** Collapses white space, and the dots of a table of contents to one character. */
export const collapseLine = (text: string): string =>
  text
    .replace(/(?:\s?\.){5,}/g, ' …')
    .replace(/\s+/g, ' ')
    .trim();

/** Joins the segments of one column into lines, by baseline. */
export function linesOf(segments: readonly Segment[]): Line[] {
  const lines: Line[] = [];
  let open: Segment[] = [];
  const close = (): void => {
    if (open.length > 0) lines.push(lineOf(open));
    open = [];
  };
  for (const segment of segments) {
    const last = open[0];
    if (last !== undefined && Math.abs(segment.y - last.y) > BASELINE * Math.max(segment.size, last.size)) close();
    open.push(segment);
  }
  close();
  return lines;
}

function lineOf(segments: readonly Segment[]): Line {
  const ordered = [...segments].sort((a, b) => a.x - b.x);
  const parts = ordered.flatMap((segment, i) =>
    i === 0 ? segment.parts : [{ text: ' ', href: '' }, ...segment.parts],
  );
  return {
    segments: ordered,
    parts,
    text: collapseLine(ordered.map(({ text }) => text).join(' ')),
    x: ordered[0]?.x ?? 0,
    right: Math.max(...ordered.map(({ right }) => right)),
    y: ordered[0]?.y ?? 0,
    size: Math.max(...ordered.map(({ size }) => size)),
    isCode: ordered.every(({ isCode }) => isCode),
  };
}
