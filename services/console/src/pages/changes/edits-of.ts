import type { Change, ChangedBlock } from '@tidemark/sdk';
import { wholeWords } from '@tidemark/sdk/whole-words';

/** One edit in short: what was there, what is there now. At least one of the two is present. */
export interface Edit {
  readonly old: string | null;
  readonly now: string | null;
}

const MAX_CHARS = 120;
const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1).trimEnd()}…`;
};
const editOf = (old: string | null, now: string | null): Edit[] => {
  const edit = { old: old === null ? null : shortened(old), now: now === null ? null : shortened(now) };
  return [{ old: edit.old === '' ? null : edit.old, now: edit.now === '' ? null : edit.now }].filter(
    (one) => one.old !== null || one.now !== null,
  );
};

/** Returns the edits inside of a block, in whole words. */
function editsIn({ op, before, after, words, links }: ChangedBlock): Edit[] {
  if (op === 'moved') return [];
  if (op === 'relinked') return links.flatMap(({ from, to }) => editOf(from, to));
  if (op !== 'edited' || words.length === 0) return editOf(before, after);
  const runs = wholeWords(words);
  return runs.flatMap(({ op: kind, text }, at): Edit[] => {
    if (kind === '-') return editOf(text, runs[at + 1]?.op === '+' ? (runs[at + 1]?.text ?? null) : null);
    return kind === '+' && runs[at - 1]?.op !== '-' ? editOf(null, text) : [];
  });
}

/**
 * Returns the first edits of a change for its row, and the number of all. Parts that change on every visit and text around the content count
 * only if there is nothing else.
 */
export function editsOf({ blocks, fields }: Pick<Change, 'blocks' | 'fields'>, limit: number) {
  const counted = blocks.filter(({ volatile }) => !volatile);
  const content = counted.filter(({ landmark }) => landmark === 'main' || landmark === '');
  const [first = []] = [content, counted, blocks]
    .map((some) => some.flatMap(editsIn))
    .filter(({ length }) => length > 0);
  const ofFields = fields.filter(({ volatile }) => !volatile).flatMap(({ from, to }) => editOf(from, to));
  const all = [...first, ...ofFields];
  return { shown: all.slice(0, limit), more: Math.max(0, all.length - limit) };
}

/** Returns the beginning of the content of a page that was added or removed, without headings that repeat its title. */
export function textOf({ blocks, title }: Pick<Change, 'blocks' | 'title'>): string {
  const texts = blocks
    .filter(({ landmark }) => landmark === 'main' || landmark === '')
    .map(({ before, after }) => (after ?? before ?? '').trim())
    .filter((text) => text !== '' && title?.startsWith(text) !== true);
  return shortened(texts.join(' '));
}
