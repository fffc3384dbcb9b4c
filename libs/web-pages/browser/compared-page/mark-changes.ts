import { type TextRun, wholeWords } from '@tidemark/sdk/whole-words';
import { matchBlocks } from './match-blocks.ts';
import { type Piece, readSegments, type Segment, withoutSpace } from './read-segments.ts';

/** A block of a comparison, as `GET /v1/projects/{id}/changes/page` lists it. */
export interface ComparedBlock {
  readonly op: 'added' | 'removed' | 'edited' | 'relinked' | 'moved' | 'replaced' | 'same';
  readonly before: string | null;
  readonly after: string | null;
  readonly words: readonly TextRun[];
  readonly volatile: boolean;
}

export interface Marked {
  /** Changes of text in the comparison. */
  readonly changes: number;
  /** The first element of each change that the page shows, in reading order. */
  readonly places: readonly Element[];
}

const isChange = ({ op, volatile }: ComparedBlock): boolean => !volatile && op !== 'same' && op !== 'moved';

/** Marks the changes of a comparison in a page, whose text is that of the later reading. */
export function markChanges(body: Element, blocks: readonly ComparedBlock[]): Marked {
  const segments = readSegments(body);
  const later = blocks.flatMap((block, at) => (block.after === null ? [] : [at]));
  const found = matchBlocks(
    later.map((at) => withoutSpace(blocks[at]?.after ?? '')),
    segments.map(({ key }) => key),
  );
  const segmentOf = new Map(later.map((at, index) => [at, segments[found[index] ?? -1]]));
  const places: Element[] = [];
  /** What the next removed block is placed behind. */
  let last: Element | undefined;
  for (const [at, block] of blocks.entries()) {
    const segment = segmentOf.get(at);
    if (block.after === null) {
      if (!isChange(block)) continue;
      const placed = placeRemoved(block.before ?? '', last, nextSegment(segmentOf, at, blocks.length)?.block);
      if (placed === undefined) continue;
      places.push(placed);
      last = placed;
      continue;
    }
    if (segment === undefined) continue;
    last = segment.block;
    if (!isChange(block)) continue;
    const [first] = markSegment(segment, runsOf(block));
    places.push(first ?? segment.block);
  }
  return { changes: blocks.filter(isChange).length, places };
}

function nextSegment(of: ReadonlyMap<number, Segment | undefined>, from: number, to: number): Segment | undefined {
  for (let at = from + 1; at < to; at += 1) {
    const segment = of.get(at);
    if (segment !== undefined) return segment;
  }
  return undefined;
}

/** Returns the runs of a block, in whole words. */
function runsOf({ op, before, after, words }: ComparedBlock): TextRun[] {
  if (op === 'edited' && words.length > 0) return wholeWords(words);
  if (op === 'relinked') return [{ op: '=', text: after ?? '' }];
  return [
    ...(before === null || op === 'added' ? [] : [{ op: '-' as const, text: before }]),
    { op: '+', text: after ?? '' },
  ];
}

const element = (name: string, text: string): HTMLElement => {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
};

/** Adds a removed block behind an element, or before the next one, in an element of a kind that is allowed there. */
function placeRemoved(text: string, behind: Element | undefined, before: Element | undefined): Element | undefined {
  const near = behind ?? before;
  if (near === undefined) return undefined;
  const isItem = /^(?:li|dd|dt)$/.test(near.localName);
  const isRow = near.localName === 'tr';
  const removed = document.createElement(isItem ? near.localName : isRow ? 'tr' : 'p');
  removed.className = 'tidemark-removed';
  const holder = isRow ? removed.appendChild(document.createElement('td')) : removed;
  if (isRow) holder.setAttribute('colspan', '99');
  holder.appendChild(element('del', text));
  if (behind === undefined) Element.prototype.before.call(near, removed);
  else if (near.localName === 'body') Element.prototype.prepend.call(near, removed);
  else Element.prototype.after.call(near, removed);
  return removed;
}

/** A mark in a segment. `from`: the number of characters without white space before it in the segment. */
type Mark =
  | { readonly op: '-'; readonly from: number; readonly text: string }
  | { readonly op: '+'; readonly from: number; readonly length: number };

/** Marks the runs of a segment. From the end to the start, so that earlier positions stay valid. @returns the elements in reading order */
function markSegment({ pieces }: Segment, runs: readonly TextRun[]): Element[] {
  return marksOf(runs)
    .reverse()
    .flatMap((mark) =>
      mark.op === '+' ? insertPieces(pieces, mark.from, mark.from + mark.length) : addRemoved(pieces, mark),
    )
    .reverse();
}

function marksOf(runs: readonly TextRun[]): Mark[] {
  const marks: Mark[] = [];
  let from = 0;
  for (const { op, text } of runs) {
    const { length } = withoutSpace(text);
    if (op === '-' && length > 0) marks.push({ op, from, text });
    if (op === '+' && length > 0) marks.push({ op, from, length });
    if (op !== '-') from += length;
  }
  return marks;
}

/** Wraps a range of a segment, in each of its text nodes. @returns the elements, the last first */
function insertPieces(pieces: readonly Piece[], from: number, to: number): Element[] {
  return pieces.toReversed().flatMap((piece) => {
    const start = Math.max(from, piece.from);
    const end = Math.min(to, piece.from + piece.length);
    return start < end ? [insert(piece.node, start - piece.from, end - piece.from)] : [];
  });
}

/** Returns the position of a character in a text, given the number of characters without white space before it. */
function positionOf(text: string, count: number): number {
  let left = count;
  for (let at = 0; at < text.length; at += 1) {
    if (/\s/.test(text.charAt(at))) continue;
    if (left === 0) return at;
    left -= 1;
  }
  return text.length;
}

/** Wraps a part of a text node. */
function insert(node: Text, from: number, to: number): Element {
  const start = positionOf(node.data, from);
  const part = node.splitText(start);
  // Up to the last character, without the white space behind it.
  part.splitText(positionOf(part.data, to - from - 1) + 1);
  const mark = document.createElement('ins');
  part.replaceWith(mark);
  mark.append(part);
  return mark;
}

/** Adds removed text before a character of a segment, with a gap behind it. */
function addRemoved(pieces: readonly Piece[], { from, text }: Mark & { readonly op: '-' }): Element[] {
  const piece = pieces.findLast((one) => one.from <= from) ?? pieces[0];
  if (piece === undefined) return [];
  const rest = piece.node.splitText(positionOf(piece.node.data, from - piece.from));
  const mark = element('del', text.trim());
  rest.before(mark, ' ');
  return [mark];
}
