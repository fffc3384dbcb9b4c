import type { ComparedPage } from '../../domain/compared-page.ts';
import type { BlockChange, FieldChange } from '../../domain/page-delta.ts';
import { isContentChange } from '../../volatility/block-traits.ts';
import type { VolatilityModel } from '../../volatility/volatility-model.ts';
import { type Edit, editOfBlock, editOfField } from './edit-identity.ts';
import { blockEntry, digest, type EntryContent, sectionOf } from './entry.ts';
import { type Folding, isRewritten } from './fold-edits.ts';
import { type IgnoredContent, ignoredBlocks, ignoredField } from './ignored-block.ts';

/** Number of URLs listed in a folded entry. */
const MAX_URLS = 20;

/** A compared page after volatile and folded changes are removed. */
export interface BuiltPage {
  readonly outcome: 'modified' | 'same';
  /** The entry to write; absent: none, or a folded entry covers it. */
  readonly entry?: EntryContent;
  readonly fields: number;
  readonly ignored: readonly IgnoredContent[];
}

interface FoldedEntry {
  readonly first: Pick<ComparedPage, 'url' | 'verdicts'>;
  readonly isDegraded: boolean;
  pages: number;
  readonly urls: string[];
  /** URLs of pages whose content changed. */
  readonly contentUrls: string[];
  /** First occurrence of each edit. */
  readonly blocks: Map<string, BlockChange>;
  readonly fields: Map<string, FieldChange>;
}

/** Decides which changes are ignored. */
export type Volatility = Pick<VolatilityModel, 'ignored' | 'ignoredField'>;

const REDESIGN = 'redesign';

/** Builds the entries of compared pages in order, and collects folded entries until all pages are processed. */
export class EntryBuilder {
  readonly #folding: Folding;
  readonly #volatility: Volatility;
  readonly #runId: string;
  readonly #foldedEntries = new Map<string, FoldedEntry>();

  constructor(folding: Folding, volatility: Volatility, runId: string) {
    this.#folding = folding;
    this.#volatility = volatility;
    this.#runId = runId;
  }

  /** Builds the entry of one page. `baselineRunId` is the baseline of the record. */
  build(page: ComparedPage, baselineRunId: string): BuiltPage {
    const { blocks, fields } = page.delta;
    const blocksWithReason = blocks.map((change) => ({ change, why: this.#volatility.ignored(page, change) }));
    const fieldsWithReason = fields.map((field) => ({ field, why: this.#volatility.ignoredField(page, field) }));
    const marked = blocksWithReason.map(({ change, why }) => ({ change, isVolatile: why !== undefined }));
    const volatileFields = fieldsWithReason.flatMap(({ field, why }) =>
      why === undefined ? [] : [{ ...field, isVolatile: true } as const],
    );
    const authoredFields = fieldsWithReason.flatMap(({ field, why }) => (why === undefined ? [field] : []));
    const ignored = [
      ...ignoredBlocks(
        page,
        blocksWithReason.flatMap(({ change, why }) => (why === undefined ? [] : [{ change, why }])),
      ),
      ...fieldsWithReason.flatMap(({ field, why }) => (why === undefined ? [] : [ignoredField(page, field, why)])),
    ];
    if (this.#folding.isRedesign && isRewritten(page)) return this.#addToRedesign(page, ignored);
    const refs = new Set<string>();
    const listed = marked.filter(
      ({ change, isVolatile }) => isVolatile || !this.#fold(page, editOfBlock(change), { block: change }, refs),
    );
    const ownFields = authoredFields.filter((field) => !this.#fold(page, editOfField(field), { field }, refs));
    const ownChanges = listed.filter(({ isVolatile }) => !isVolatile).map(({ change }) => change);
    const isComplete = ownChanges.length === blocks.length - marked.filter(({ isVolatile }) => isVolatile).length;
    const isModified =
      ownFields.some(isFieldModification) || (page.isContentEdited && isModification(ownChanges, isComplete));
    const built = {
      outcome: isModified ? 'modified' : 'same',
      fields: isModified ? ownFields.length : 0,
      ignored,
    } as const;
    if (!isModified && page.links === undefined) return built;
    const entries = isModified ? listed.map(({ change, isVolatile }) => blockEntry(change, isVolatile)) : [];
    return {
      ...built,
      entry: {
        ...pageOf(page, baselineRunId),
        ...summarizeChanges(ownChanges.filter(isContentChange)),
        reordered: page.delta.isReordered,
        degraded: page.delta.isDegraded,
        kind: built.outcome,
        blocks: entries,
        fields: [
          ...(isModified ? [...ownFields, ...volatileFields] : []),
          ...(page.links === undefined ? [] : [linksField(page.links)]),
        ],
        templateRefs: [...refs],
      },
    };
  }

  /** Yields the folded entries in order of first occurrence. */
  *foldedEntries(): Generator<EntryContent> {
    for (const [group, { first, isDegraded, pages, urls, contentUrls, blocks, fields }] of this.#foldedEntries)
      yield {
        ...summarizeChanges([...blocks.values()]),
        degraded: isDegraded,
        pageKey: this.#keyOf(group),
        url: first.url,
        kind: 'template',
        verdicts: first.verdicts,
        blocks: [...blocks.values()].map((change) => blockEntry(change, false)),
        fields: [...fields.values()],
        template: {
          pages,
          // URLs with changed content come before those with changed boilerplate.
          urls: [...new Set([...contentUrls, ...urls])].slice(0, MAX_URLS),
          isRedesign: group === REDESIGN,
        },
      };
  }

  #addToRedesign(page: ComparedPage, ignored: BuiltPage['ignored']): BuiltPage {
    const folded = this.#foldedEntryFor(page, REDESIGN);
    // Only the first page's changes are listed; listing all would repeat the whole site.
    if (folded.pages === 1) {
      for (const block of page.delta.blocks) recordFirst(folded, editOfBlock(block), { block });
      for (const field of page.delta.fields) recordFirst(folded, editOfField(field), { field });
    }
    return { outcome: 'modified', fields: page.delta.fields.length, ignored };
  }

  #fold(page: ComparedPage, edit: Edit, change: Folded, refs: Set<string>): boolean {
    const group = this.#folding.groupOf(edit);
    if (group === undefined) return false;
    const ref = this.#keyOf(group);
    const folded = refs.has(ref) ? this.#foldedEntries.get(group) : this.#foldedEntryFor(page, group);
    refs.add(ref);
    if (folded === undefined) return true;
    recordFirst(folded, edit, change);
    if (edit.scope === 'content' && folded.contentUrls.length < MAX_URLS && folded.contentUrls.at(-1) !== page.url)
      folded.contentUrls.push(page.url);
    return true;
  }

  #foldedEntryFor(page: ComparedPage, group: string): FoldedEntry {
    const folded = this.#foldedEntries.get(group) ?? {
      first: { url: page.url, verdicts: page.verdicts },
      isDegraded: page.delta.isDegraded,
      pages: 0,
      urls: [],
      contentUrls: [],
      blocks: new Map<string, BlockChange>(),
      fields: new Map<string, FieldChange>(),
    };
    folded.pages += 1;
    if (folded.urls.length < MAX_URLS) folded.urls.push(page.url);
    this.#foldedEntries.set(group, folded);
    return folded;
  }

  #keyOf(group: string): string {
    return `template:${digest([this.#runId, group])}`;
  }
}

type Folded = { readonly block: BlockChange } | { readonly field: FieldChange };

/** Stores the first occurrence of an edit; its context differs from page to page. */
function recordFirst({ blocks, fields }: FoldedEntry, { name, scope }: Edit, change: Folded): void {
  const key = `${scope} ${name}`;
  if ('field' in change) fields.set(key, fields.get(key) ?? change.field);
  else blocks.set(key, blocks.get(key) ?? change.block);
}

/** Metadata is listed with other changes but alone does not modify a page. */
const isFieldModification = (field: FieldChange): boolean => editOfField(field).scope !== 'metadata';

/**
 * Whether the page's own changes make it modified: content edits do; boilerplate does not. Moved blocks count only if
 * no change was folded, because folded edits move their neighbours.
 */
function isModification(ownChanges: readonly BlockChange[], isComplete: boolean): boolean {
  const content = ownChanges.filter(isContentChange);
  return content.some(({ op }) => op !== 'moved') || (content.length > 0 && isComplete);
}

function pageOf(page: ComparedPage, baselineRunId: string): Omit<EntryContent, 'kind'> {
  return {
    pageKey: page.pageKey,
    url: page.url,
    title: page.title,
    verdicts: page.verdicts,
    pageStates: page.pageStates,
    ...(page.links === undefined ? {} : { links: page.links }),
    ...(page.baselineRunId === baselineRunId ? {} : { baselineRunId: page.baselineRunId }),
  };
}

/** Derives section, word counts and flags from the listed changes. */
export function summarizeChanges(ownChanges: readonly BlockChange[]) {
  return {
    section: sectionOf(ownChanges),
    wordsAdded: ownChanges.reduce((words, change) => words + change.wordsAdded, 0),
    wordsRemoved: ownChanges.reduce((words, change) => words + change.wordsRemoved, 0),
    numericOnly: ownChanges.length > 0 && ownChanges.every((change) => change.isNumericOnly),
  };
}

/** Represents a link change as a field. */
export const linksField = (links: 'orphaned' | 'linked'): FieldChange =>
  links === 'orphaned' ? { name: 'inLinks', from: 'some', to: '0' } : { name: 'inLinks', from: '0', to: 'some' };
