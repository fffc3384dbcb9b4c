import { createHash } from 'node:crypto';
import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import type { BlockChange, FieldChange, WordRun } from '../domain/page-delta.ts';
import type { OutcomeReason } from '../outcomes/outcome-table.ts';
import { isContentChange } from '../volatility/block-traits.ts';

/** `same`: nothing but who links there changed. `template`: one statement on many pages. */
export type EntryKind = 'added' | 'removed' | 'modified' | 'withheld' | 'unverified' | 'same' | 'template';

/** What became of one block. */
export interface BlockEntry {
  readonly op: BlockChange['op'];
  readonly section: string;
  /** main, header, nav, aside, footer, other; empty: the page doesn't say. */
  readonly landmark: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly words: readonly WordRun[];
  readonly volatile: boolean;
  readonly numericOnly: boolean;
}

/** What is said of many pages at once. */
export interface TemplateStatement {
  readonly pages: number;
  /** The first of them. */
  readonly urls: readonly string[];
  /** The pages were made anew: more than four fifths of their blocks differ. */
  readonly isRedesign: boolean;
}

/** One change of a record. Whether it was reviewed is kept beside it: `deltaKey` carries the mark on to the next record. */
export interface Entry {
  readonly id: string;
  readonly pageKey: string;
  readonly url: string;
  readonly kind: EntryKind;
  /** Why a page is withheld or unverified. */
  readonly reason?: OutcomeReason;
  /** The heading over the first edit; empty: none. */
  readonly section: string;
  /** Everything that differs does so by itself. */
  readonly volatile: boolean;
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  readonly blocks: readonly BlockEntry[];
  readonly fields: readonly FieldChange[];
  /** Where the page was before. */
  readonly movedFrom?: string;
  /** It was gone before. */
  readonly returned?: true;
  readonly numericOnly: boolean;
  readonly reordered: boolean;
  /** The comparison ran out of time, or `blocks` does not hold all there was. */
  readonly degraded: boolean;
  readonly truncated: boolean;
  /** Entries of kind `template` that tell the rest of what differs. */
  readonly templateRefs: readonly string[];
  readonly template?: TemplateStatement;
  /** The run the page was compared with, where it is not the record's baseline. */
  readonly baselineRunId?: string;
  readonly verdicts: readonly [before: string, after: string];
  readonly links?: 'orphaned' | 'linked';
  /** The same page with the same change has the same one in every record. */
  readonly deltaKey: string;
  readonly firstSeenAt: string;
}

/** What an entry of a record is about. */
export interface EntryOrigin {
  readonly projectId: string;
  readonly runId: string;
  readonly firstSeenAt: string;
}

/** An entry without what follows from the rest. */
export type EntryContent = Pick<Entry, 'pageKey' | 'url' | 'kind' | 'verdicts'> &
  Partial<Omit<Entry, 'id' | 'deltaKey' | 'firstSeenAt'>>;

/** Characters of text that one entry holds. */
export const MAX_ENTRY_CHARS = 50_000;

const LANDMARKS: Readonly<Record<number, string>> = {
  [Landmark.LANDMARK_MAIN]: 'main',
  [Landmark.LANDMARK_HEADER]: 'header',
  [Landmark.LANDMARK_NAV]: 'nav',
  [Landmark.LANDMARK_ASIDE]: 'aside',
  [Landmark.LANDMARK_FOOTER]: 'footer',
  [Landmark.LANDMARK_OTHER]: 'other',
};

/**
 * An entry, with an id that stays when the record is made anew. One that says neither words nor fields is a fault: an alert
 * without anything to see destroys trust.
 */
export function makeEntry({ projectId, runId, firstSeenAt }: EntryOrigin, content: EntryContent): Entry {
  const { blocks = [], fields = [] } = content;
  const { kept, truncated } = truncateBlocks(blocks);
  const idOf = (key: string, kind: EntryKind): string => `chg_${digest([projectId, runId, key, kind])}`;
  if (
    (content.kind === 'modified' || content.kind === 'template' || content.kind === 'same') &&
    kept.length + fields.length === 0
  )
    throw new RangeError(`an entry of ${content.pageKey} would have nothing to show`);
  return {
    section: '',
    volatile: false,
    wordsAdded: 0,
    wordsRemoved: 0,
    numericOnly: false,
    reordered: false,
    degraded: false,
    ...content,
    id: idOf(content.pageKey, content.kind),
    blocks: kept,
    fields,
    templateRefs: (content.templateRefs ?? []).map((key) => idOf(key, 'template')),
    truncated,
    deltaKey: deltaKeyOf(content),
    firstSeenAt,
  };
}

/** A block's change as an entry tells it. */
export function blockEntry(change: BlockChange, isVolatile: boolean): BlockEntry {
  const block = change.after ?? change.before;
  return {
    op: change.op,
    section: change.section,
    landmark: LANDMARKS[block?.landmark ?? 0] ?? '',
    before: change.before?.text ?? null,
    after: change.after?.text ?? null,
    words: change.words,
    volatile: isVolatile,
    numericOnly: change.isNumericOnly,
  };
}

/** The heading over the edit that counts most: the first of the content, else the first. */
export function sectionOf(changes: readonly BlockChange[]): string {
  return (changes.find(isContentChange) ?? changes[0])?.section ?? '';
}

/** Twenty-six letters and digits that stand for `parts`. */
export function digest(parts: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  return [...hash.subarray(0, 26)].map((byte) => 'abcdefghijkmnpqrstuvwxyz23456789'[byte % 32]).join('');
}

function deltaKeyOf({ pageKey, kind, blocks = [], fields = [], reason }: EntryContent): string {
  const blockTexts = blocks.filter((block) => !block.volatile).map(({ op, before, after }) => [op, before, after]);
  return digest([kind === 'template' ? '' : pageKey, kind, reason ?? '', blockTexts, fields]);
}

function truncateBlocks(blocks: readonly BlockEntry[]): { kept: readonly BlockEntry[]; truncated: boolean } {
  let left = MAX_ENTRY_CHARS;
  const kept: BlockEntry[] = [];
  for (const block of blocks) {
    left -= charsOf(block);
    if (left >= 0) kept.push(block);
    else if (kept.length === 0) return { kept: [shorten(block)], truncated: true };
    else break;
  }
  return { kept, truncated: kept.length < blocks.length };
}

function charsOf({ before, after, words }: BlockEntry): number {
  return (before?.length ?? 0) + (after?.length ?? 0) + words.reduce((chars, [, text]) => chars + text.length + 8, 0);
}

/** A single block that is too long: its beginnings, without the words between. */
function shorten(block: BlockEntry): BlockEntry {
  const cut = (text: string | null): string | null => text?.slice(0, MAX_ENTRY_CHARS / 2) ?? null;
  return { ...block, before: cut(block.before), after: cut(block.after), words: [] };
}
