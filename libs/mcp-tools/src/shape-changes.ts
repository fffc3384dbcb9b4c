import type { Change, ChangeRecord, PageChanges } from '@tidemark/sdk';
import { picked } from './parameters.ts';
import { cut, EXCERPT_CHARS, UNTRUSTED } from './shape-pages.ts';

/** Characters of one side of a changed block. */
const BLOCK_CHARS = 1_000;
/** Blocks of one page of a record. */
const BLOCKS = 10;
/** Blocks of a page that is read alone. */
const PAGE_BLOCKS = 60;

const shapeBlock = ({ op, section, before, after }: Change['blocks'][number] | PageChanges['blocks'][number]) => ({
  op,
  section: cut(section, 200),
  untrusted_before: before === null ? null : cut(before, BLOCK_CHARS),
  untrusted_after: after === null ? null : cut(after, BLOCK_CHARS),
});

const shapeField = ({ name, from, to }: Change['fields'][number]) => ({
  name,
  untrusted_from: from === null ? null : cut(from, BLOCK_CHARS),
  untrusted_to: to === null ? null : cut(to, BLOCK_CHARS),
});

/** Fields of an entry that a caller can request alone. */
export const CHANGE_FIELDS = [
  'title',
  'kind',
  'reason',
  'section',
  'volatile',
  'wordsAdded',
  'wordsRemoved',
  'movedFrom',
  'reviewed',
  'fields',
  'blocks',
] as const;

function shapeChange(change: Change) {
  const { url, title, kind, reason, section, volatile, wordsAdded, wordsRemoved, movedFrom, reviewed, fields } = change;
  return {
    url,
    title: title === null ? null : cut(title, 200),
    kind,
    reason,
    section: cut(section, 200),
    volatile,
    wordsAdded,
    wordsRemoved,
    movedFrom,
    reviewed,
    fields: fields.slice(0, BLOCKS).map(shapeField),
    blocks: change.blocks.slice(0, BLOCKS).map(shapeBlock),
    truncated: change.truncated || change.blocks.length > BLOCKS || fields.length > BLOCKS,
  };
}

/** An entry without its words, for entries beyond the budget. */
const shortened = ({ url, kind, reason, wordsAdded, wordsRemoved, reviewed }: Change) => ({
  url,
  kind,
  reason,
  wordsAdded,
  wordsRemoved,
  reviewed,
  truncated: true,
});

/** Shapes a change record: the first entries with their words within the budget of excerpts, the others without. `fields`: of `CHANGE_FIELDS`; undefined: all. */
export function shapeChanges(record: ChangeRecord, names?: readonly string[]) {
  const { runId, status, error, baseline, counts, coverage, digest, next } = record;
  let left = EXCERPT_CHARS;
  const entries = record.entries.map((change) => {
    const full = picked(shapeChange(change), names, ['url', 'truncated']);
    left -= JSON.stringify(full).length;
    return left >= 0 ? full : shortened(change);
  });
  return {
    notice: UNTRUSTED,

    runId,
    status,
    error,
    baseline,
    counts,
    coverage,
    digest,
    entries,
    truncated: next !== null || left < 0,
  };
}

/** Shapes the words of one page between two runs, as the only entry of a record. */
export function shapePageChanges({ url, blocks, fields, wordsAdded, wordsRemoved, before, after }: PageChanges) {
  const shown = blocks.slice(0, PAGE_BLOCKS);
  const entry = {
    url,
    kind: before === null ? 'added' : after === null ? 'removed' : 'modified',
    wordsAdded,
    wordsRemoved,
    before,
    after,
    fields: fields.slice(0, BLOCKS).map(shapeField),
    blocks: shown.map(shapeBlock),
    truncated: shown.length < blocks.length || fields.length > BLOCKS,
  };
  return { notice: UNTRUSTED, entries: [entry], truncated: entry.truncated, next: null };
}
