import type { Change, ChangeRecord } from '@tidemark/sdk';
import { cut, EXCERPT_CHARS, UNTRUSTED } from './shape-pages.ts';

/** Characters of one side of a changed block. */
const BLOCK_CHARS = 1_000;
/** Blocks of one page. */
const BLOCKS = 10;

const shapeBlock = ({ op, section, before, after }: Change['blocks'][number]) => ({
  op,
  section: cut(section, 200),
  untrusted_before: before === null ? null : cut(before, BLOCK_CHARS),
  untrusted_after: after === null ? null : cut(after, BLOCK_CHARS),
});

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
    fields: fields.slice(0, BLOCKS).map(({ name, from, to }) => ({
      name,
      untrusted_from: from === null ? null : cut(from, BLOCK_CHARS),
      untrusted_to: to === null ? null : cut(to, BLOCK_CHARS),
    })),
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

/** Shapes a change record: the first entries with their words within the budget of excerpts, the others without. */
export function shapeChanges(record: ChangeRecord) {
  const { runId, status, error, baseline, counts, coverage, digest, next } = record;
  let left = EXCERPT_CHARS;
  const entries = record.entries.map((change) => {
    const full = shapeChange(change);
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
