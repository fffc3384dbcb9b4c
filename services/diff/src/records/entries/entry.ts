import { createHash } from 'node:crypto';
import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import type { OutcomeReason } from '../../domain/outcome-table.ts';
import type { BlockChange, FieldChange, LinkChange, WordRun } from '../../domain/page-delta.ts';
import type { PageStates } from '../../domain/page-states.ts';
import { isContentChange } from '../../volatility/block-traits.ts';

/** `same`: only the links to the page changed. `template`: one change folded over many pages. */
export const ENTRY_KINDS = ['added', 'removed', 'modified', 'withheld', 'unverified', 'same', 'template'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Kinds that count as a change. */
export const CHANGED_KINDS = ['added', 'removed', 'modified', 'template'] as const satisfies readonly EntryKind[];

/** Kinds that are no verdict: the page could not be read or compared, or the run was incomplete. */
export const DOUBTFUL_KINDS = ['withheld', 'unverified'] as const satisfies readonly EntryKind[];

/** The change of one block. */
export interface BlockEntry {
  readonly op: BlockChange['op'];
  readonly section: string;
  /** main, header, nav, aside, footer, other; empty: the page has no landmarks. */
  readonly landmark: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly words: readonly WordRun[];
  /** The link targets that differ. */
  readonly links: readonly LinkChange[];
  readonly volatile: boolean;
  readonly numericOnly: boolean;
}

/** A change folded over many pages. */
export interface TemplateStatement {
  readonly pages: number;
  /** The first affected URLs. */
  readonly urls: readonly string[];
  /** The site was redesigned: on these pages more than 80 % of the blocks differ. */
  readonly isRedesign: boolean;
}

/** One change of a record. Review marks are stored separately, by `deltaKey`. */
export interface Entry {
  readonly id: string;
  readonly pageKey: string;
  readonly url: string;
  /** Of a removed page its last one. Absent: none, or an entry that was stored before titles were. */
  readonly title?: string;
  readonly kind: EntryKind;
  /** Why a page is withheld or unverified. */
  readonly reason?: OutcomeReason;
  /** Heading above the first edit; empty: none. */
  readonly section: string;
  /** All differences are volatile. */
  readonly volatile: boolean;
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  readonly blocks: readonly BlockEntry[];
  readonly fields: readonly FieldChange[];
  /** Previous URL of a moved page. */
  readonly movedFrom?: string;
  /** The page had been reported as removed before. */
  readonly returned?: true;
  readonly numericOnly: boolean;
  readonly reordered: boolean;
  /** `degraded`: the comparison timed out. `truncated`: `blocks` is incomplete. */
  readonly degraded: boolean;
  readonly truncated: boolean;
  /** Ids of the entries of kind `template` that hold the page's other changes. */
  readonly templateRefs: readonly string[];
  readonly template?: TemplateStatement;
  /** The run of comparison, where it is not the record's baseline. */
  readonly baselineRunId?: string;
  readonly verdicts: readonly [before: string, after: string];
  /** The page could be read when it was last captured, and cannot now. */
  readonly turnedUnreadable?: true;
  readonly links?: 'orphaned' | 'linked';
  /** Equal for the same change of the same page in every record. */
  readonly deltaKey: string;
  readonly firstSeenAt: string;
  /** What alert rules read of the page; absent: a change of many pages, or an entry that was stored before rules existed. */
  readonly pageStates?: PageStates;
}

/** The record an entry belongs to. */
export interface EntryOrigin {
  readonly projectId: string;
  readonly runId: string;
  readonly firstSeenAt: string;
}

/** An entry without its derived values. */
export type EntryContent = Pick<Entry, 'pageKey' | 'url' | 'kind' | 'verdicts'> &
  Partial<Omit<Entry, 'id' | 'deltaKey' | 'firstSeenAt'>>;

/** Characters of text in one entry. */
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
 * Creates an entry with a deterministic id. @throws RangeError if a change has neither blocks nor fields: an alert must
 * have something to show
 */
export function makeEntry({ projectId, runId, firstSeenAt }: EntryOrigin, content: EntryContent): Entry {
  const { blocks = [], fields = [] } = content;
  const { listed, truncated } = truncateBlocks(blocks);
  const idOf = (key: string, kind: EntryKind): string => `chg_${digest([projectId, runId, key, kind])}`;
  if (
    (content.kind === 'modified' || content.kind === 'template' || content.kind === 'same') &&
    listed.length + fields.length === 0
  )
    throw new RangeError(`the entry of ${content.pageKey} has nothing to show`);
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
    blocks: listed,
    fields,
    templateRefs: (content.templateRefs ?? []).map((key) => idOf(key, 'template')),
    truncated: truncated || content.truncated === true,
    deltaKey: deltaKeyOf(content),
    firstSeenAt,
  };
}

/** Returns the name of a block's landmark. */
export const landmarkOf = (block: BlockChange['before']): string => LANDMARKS[block?.landmark ?? 0] ?? '';

/** Converts a block change to its form in entries. */
export function blockEntry(change: BlockChange, isVolatile: boolean): BlockEntry {
  return {
    op: change.op,
    section: change.section,
    landmark: landmarkOf(change.after ?? change.before),
    before: change.before?.text ?? null,
    after: change.after?.text ?? null,
    words: change.words,
    links: change.links ?? [],
    volatile: isVolatile,
    numericOnly: change.isNumericOnly,
  };
}

/** Returns the heading above the first content change, or above the first change if the content has none. */
export function sectionOf(changes: readonly BlockChange[]): string {
  return (changes.find(isContentChange) ?? changes[0])?.section ?? '';
}

/** Hashes `parts` to 26 characters of a-z and 2-9. */
export function digest(parts: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  return [...hash.subarray(0, 26)].map((byte) => 'abcdefghijkmnpqrstuvwxyz23456789'[byte % 32]).join('');
}

function deltaKeyOf({ pageKey, kind, blocks = [], fields = [], reason }: EntryContent): string {
  const blockTexts = blocks
    .filter((block) => !block.volatile)
    .map(({ op, before, after, links }) => [op, before, after, ...links]);
  return digest([kind === 'template' ? '' : pageKey, kind, reason ?? '', blockTexts, fields]);
}

function truncateBlocks(blocks: readonly BlockEntry[]): { listed: readonly BlockEntry[]; truncated: boolean } {
  let remaining = MAX_ENTRY_CHARS;
  const listed: BlockEntry[] = [];
  for (const block of blocks) {
    remaining -= charsOf(block);
    if (remaining >= 0) listed.push(block);
    else if (listed.length === 0) return { listed: [shorten(block)], truncated: true };
    else break;
  }
  return { listed, truncated: listed.length < blocks.length };
}

function charsOf({ before, after, words, links }: BlockEntry): number {
  return (
    (before?.length ?? 0) +
    (after?.length ?? 0) +
    words.reduce((chars, [, text]) => chars + text.length + 8, 0) +
    links.reduce((chars, { text, from = '', to = '' }) => chars + text.length + from.length + to.length, 0)
  );
}

/** Shortens a single block above the limit: the beginnings of both texts, without word runs. */
function shorten(block: BlockEntry): BlockEntry {
  const truncate = (text: string | null): string | null => text?.slice(0, MAX_ENTRY_CHARS / 2) ?? null;
  return { ...block, before: truncate(block.before), after: truncate(block.after), words: [], links: [] };
}
