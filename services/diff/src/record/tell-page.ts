import type { BlockChange, FieldChange } from '../domain/page-delta.ts';
import { isOfContent } from '../volatile/volatile-block.ts';
import type { ComparedPage } from './compare-page.ts';
import { blockEntry, digest, type EntryContent, sectionOf } from './entry.ts';
import { type Folding, isRemade } from './fold-template.ts';
import { type Edit, editOfBlock, editOfField } from './name-edit.ts';

/** Addresses named of the pages a statement is about. */
const MAX_URLS = 20;

/** What is left of a comparison once what changes by itself and what is said elsewhere is taken out. */
export interface PageNews {
  readonly outcome: 'modified' | 'same';
  /** What to tell; absent: nothing, or a statement on many pages tells it. */
  readonly content?: EntryContent;
  readonly fields: number;
  readonly volatileBlocks: number;
}

interface Statement {
  readonly first: Pick<ComparedPage, 'url' | 'verdicts'>;
  readonly isDegraded: boolean;
  pages: number;
  readonly urls: string[];
  /** Those of them whose content it is about. */
  readonly ofContent: string[];
  /** Of each edit the first that was met. */
  readonly blocks: Map<string, BlockChange>;
  readonly fields: Map<string, FieldChange>;
}

const REDESIGN = 'redesign';

/** Takes compared pages in their order, tells what each has of its own, and keeps what is told of many for the end. */
export class PageTeller {
  readonly #folding: Folding;
  readonly #isVolatile: (template: string, change: BlockChange) => boolean;
  readonly #runId: string;
  readonly #statements = new Map<string, Statement>();

  constructor(folding: Folding, isVolatile: (template: string, change: BlockChange) => boolean, runId: string) {
    this.#folding = folding;
    this.#isVolatile = isVolatile;
    this.#runId = runId;
  }

  /** What one page has to tell. `baselineRunId` is the record's. */
  tell(page: ComparedPage, baselineRunId: string): PageNews {
    const { blocks, fields } = page.delta;
    const marked = blocks.map((change) => ({
      change,
      isVolatile: change.isVolatile === true || this.#isVolatile(page.template, change),
    }));
    const volatileBlocks = marked.filter(({ isVolatile }) => isVolatile).length;
    if (this.#folding.isRedesign && isRemade(page)) return this.#tellRedesign(page, volatileBlocks);
    const refs = new Set<string>();
    const told = marked.filter(
      ({ change, isVolatile }) => isVolatile || !this.#fold(page, editOfBlock(change), { block: change }, refs),
    );
    const ownFields = fields.filter((field) => !this.#fold(page, editOfField(field), { field }, refs));
    const own = told.filter(({ isVolatile }) => !isVolatile).map(({ change }) => change);
    const isAlone = own.length === blocks.length - volatileBlocks;
    const isModified = ownFields.some(isFieldNews) || (page.isContentEdited && isNews(own, isAlone));
    const news = {
      outcome: isModified ? 'modified' : 'same',
      fields: isModified ? ownFields.length : 0,
      volatileBlocks,
    } as const;
    if (!isModified && page.links === undefined) return news;
    const entries = isModified ? told.map(({ change, isVolatile }) => blockEntry(change, isVolatile)) : [];
    return {
      ...news,
      content: {
        ...placeOf(page, baselineRunId),
        ...ofChanges(own.filter(isOfContent)),
        reordered: page.delta.isReordered,
        degraded: page.delta.isDegraded,
        kind: news.outcome,
        blocks: entries,
        fields: [...(isModified ? ownFields : []), ...(page.links === undefined ? [] : [linksField(page.links)])],
        templateRefs: [...refs],
      },
    };
  }

  /** The statements on many pages, in the order in which they were first met. */
  *statements(): Generator<EntryContent> {
    for (const [group, { first, isDegraded, pages, urls, ofContent, blocks, fields }] of this.#statements)
      yield {
        ...ofChanges([...blocks.values()]),
        degraded: isDegraded,
        pageKey: this.#keyOf(group),
        url: first.url,
        kind: 'template',
        verdicts: first.verdicts,
        blocks: [...blocks.values()].map((change) => blockEntry(change, false)),
        fields: [...fields.values()],
        template: {
          pages,
          // Readers look for the pages whose content changed before those that only say it around theirs.
          urls: [...new Set([...ofContent, ...urls])].slice(0, MAX_URLS),
          isRedesign: group === REDESIGN,
        },
      };
  }

  #tellRedesign(page: ComparedPage, volatileBlocks: number): PageNews {
    const statement = this.#join(page, REDESIGN);
    // The first page shows what it is about; all of them would be the whole site twice.
    if (statement.pages === 1) {
      for (const block of page.delta.blocks) keep(statement, editOfBlock(block), { block });
      for (const field of page.delta.fields) keep(statement, editOfField(field), { field });
    }
    return { outcome: 'modified', fields: page.delta.fields.length, volatileBlocks };
  }

  #fold(page: ComparedPage, edit: Edit, change: Folded, refs: Set<string>): boolean {
    const group = this.#folding.groupOf(edit);
    if (group === undefined) return false;
    const ref = this.#keyOf(group);
    const statement = refs.has(ref) ? this.#statements.get(group) : this.#join(page, group);
    refs.add(ref);
    if (statement === undefined) return true;
    keep(statement, edit, change);
    if (edit.place === 'content' && statement.ofContent.length < MAX_URLS && statement.ofContent.at(-1) !== page.url)
      statement.ofContent.push(page.url);
    return true;
  }

  #join(page: ComparedPage, group: string): Statement {
    const statement = this.#statements.get(group) ?? {
      first: { url: page.url, verdicts: page.verdicts },
      isDegraded: page.delta.isDegraded,
      pages: 0,
      urls: [],
      ofContent: [],
      blocks: new Map<string, BlockChange>(),
      fields: new Map<string, FieldChange>(),
    };
    statement.pages += 1;
    if (statement.urls.length < MAX_URLS) statement.urls.push(page.url);
    this.#statements.set(group, statement);
    return statement;
  }

  #keyOf(group: string): string {
    return `template:${digest([this.#runId, group])}`;
  }
}

type Folded = { readonly block: BlockChange } | { readonly field: FieldChange };

/** Keeps how an edit was first met: what stands around it differs from page to page. */
function keep({ blocks, fields }: Statement, { name, place }: Edit, change: Folded): void {
  const key = `${place} ${name}`;
  if ('field' in change) fields.set(key, fields.get(key) ?? change.field);
  else blocks.set(key, blocks.get(key) ?? change.block);
}

/** What a head says for other machines is told beside what else differs. */
const isFieldNews = (field: FieldChange): boolean => editOfField(field).place !== 'beside';

/**
 * Edits of the content are news; what differs around it is shown beside them. Blocks that only stand elsewhere are news where they are all
 * that differs: around edits that are told elsewhere they follow from them.
 */
function isNews(own: readonly BlockChange[], isAlone: boolean): boolean {
  const content = own.filter(isOfContent);
  return content.some(({ op }) => op !== 'moved') || (content.length > 0 && isAlone);
}

function placeOf(page: ComparedPage, baselineRunId: string): Omit<EntryContent, 'kind'> {
  return {
    pageKey: page.pageKey,
    url: page.url,
    verdicts: page.verdicts,
    ...(page.links === undefined ? {} : { links: page.links }),
    ...(page.baselineRunId === baselineRunId ? {} : { baselineRunId: page.baselineRunId }),
  };
}

/** What follows from the blocks that are told. */
export function ofChanges(own: readonly BlockChange[]) {
  return {
    section: sectionOf(own),
    wordsAdded: own.reduce((words, change) => words + change.wordsAdded, 0),
    wordsRemoved: own.reduce((words, change) => words + change.wordsRemoved, 0),
    numericOnly: own.length > 0 && own.every((change) => change.isNumericOnly),
  };
}

/** Who links to a page, as a field. */
export const linksField = (links: 'orphaned' | 'linked'): FieldChange =>
  links === 'orphaned' ? { name: 'inLinks', from: 'some', to: '0' } : { name: 'inLinks', from: '0', to: 'some' };
