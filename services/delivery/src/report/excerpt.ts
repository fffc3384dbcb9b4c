import { textOrEmpty } from '@tidemark/contracts';
import type { BlockEntry, Entry } from '@tidemark/contracts/diff/v1/diff';
import { cut, plain } from './plain-text.ts';

const MAX_CHARS = 200;
/** Characters of unchanged text shown before, between and after changes. */
const AROUND_CHARS = 40;
const MAX_CHANGE_CHARS = 80;
const MOST_RUNS = 60;

/** Returns the first edit of a page as one line: `Goods come back within [30 → 14] days.`; empty: there is none to show. */
export function excerptOf({ blocks }: Pick<Entry, 'blocks'>): string {
  const block = blocks.find(({ op, volatile }) => !volatile && op !== 'moved');
  if (block === undefined) return '';
  return plain(block.words.length > 0 ? editOf(block) : wholeOf(block), MAX_CHARS);
}

function wholeOf({ before, after }: BlockEntry): string {
  return marked(plain(textOrEmpty(before), MAX_CHANGE_CHARS), plain(textOrEmpty(after), MAX_CHANGE_CHARS));
}

function editOf({ words }: BlockEntry): string {
  const parts: string[] = [];
  let removed = '';
  let added = '';
  for (const { op, text } of words.slice(0, MOST_RUNS)) {
    if (op === '-') removed += text;
    else if (op === '+') added += text;
    else {
      parts.push(marked(removed, added), parts.length === 0 ? endOf(text) : middleOf(text));
      removed = '';
      added = '';
    }
  }
  parts.push(marked(removed, added));
  return parts.filter((part) => part !== '').join('');
}

function marked(removed: string, added: string): string {
  const from = cut(removed.trim(), MAX_CHANGE_CHARS);
  const to = cut(added.trim(), MAX_CHANGE_CHARS);
  if (from === '' && to === '') return '';
  if (to === '') return `[− ${from}]`;
  return from === '' ? `[+ ${to}]` : `[${from} → ${to}]`;
}

const endOf = (text: string): string =>
  text.length <= AROUND_CHARS
    ? text
    : `…${text
        .slice(-AROUND_CHARS)
        .toWellFormed()
        .replace(/^\ufffd/, '')}`;

const middleOf = (text: string): string =>
  text.length <= 2 * AROUND_CHARS ? text : `${cut(text, AROUND_CHARS)} ${endOf(text)}`;
