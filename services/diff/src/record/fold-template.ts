import { createHash } from 'node:crypto';
import type { BlockChange, FieldChange } from '../domain/page-delta.ts';
import { isOfContent } from '../volatile/volatile-block.ts';
import type { ComparedPage } from './compare-page.ts';
import { FrequentTally } from './frequent-tally.ts';
import { folderOf } from './page-key.ts';

/** An edit seen alike on so many pages is one of their template. */
const MIN_PAGES = 3;
/** In the main part, where pages say alike things by chance, it also takes this share of the pages of its folders. */
const MIN_MAIN_SHARE = 0.2;
/** More than this share of a page's blocks differs: it was made anew. */
const REMADE_SHARE = 0.8;
/** Pages made anew, and their share of the pages compared, that make a redesign. */
const REDESIGN_PAGES = 5;
const REDESIGN_SHARE = 0.6;

const MAX_EDITS = 50_000;
const MAX_FOLDERS = 8;

interface Edit {
  isMain: boolean;
  readonly folders: Set<string>;
  /** Sum of hashes of the pages: two edits with the same one are of the same pages. */
  pages: number;
}

/** What is to be told once instead of page by page. */
export interface Folding {
  /** The statement an edit belongs to; undefined: it is the page's own. */
  readonly groupOf: (edit: string) => string | undefined;
  readonly isRedesign: boolean;
}

/** Nothing is folded: every page tells its own. */
export const NO_FOLDING: Folding = { groupOf: () => undefined, isRedesign: false };

/** Counts, in bounded memory, on how many pages each edit was seen. */
export class EditCensus {
  readonly #edits = new FrequentTally<Edit>(MAX_EDITS);
  #remade = 0;

  see({ pageKey, delta, changedShare }: ComparedPage): void {
    if (changedShare > REMADE_SHARE) this.#remade += 1;
    const page = createHash('sha1').update(pageKey).digest().readUInt32BE();
    const folder = folderOf(pageKey);
    const edits = new Map<string, boolean>();
    for (const change of delta.blocks) edits.set(editOfBlock(change), isOfContent(change));
    for (const field of delta.fields) edits.set(editOfField(field), true);
    for (const [key, isInMain] of edits) {
      const edit = this.#edits.add(key, () => ({ isMain: false, folders: new Set<string>(), pages: 0 }));
      edit.isMain ||= isInMain;
      edit.pages = (edit.pages + page) % 0x1_0000_0000;
      if (edit.folders.size < MAX_FOLDERS) edit.folders.add(folder);
    }
  }

  /** @param pagesPerFolder pages read in each folder; @param compared pages that were compared in all */
  folding(pagesPerFolder: ReadonlyMap<string, number>, compared: number): Folding {
    const groups = new Map<string, string>();
    for (const { key, count, value } of this.#edits.entries())
      if (count >= leastPages(value, pagesPerFolder)) groups.set(key, `${count} ${value.pages}`);
    return {
      groupOf: (edit) => groups.get(edit),
      isRedesign: this.#remade >= REDESIGN_PAGES && this.#remade >= compared * REDESIGN_SHARE,
    };
  }
}

/** Whether a page was made anew rather than edited. */
export const isRemade = ({ changedShare }: ComparedPage): boolean => changedShare > REMADE_SHARE;

/** Names an edit of a block: alike on two pages where both said the same there before and say the same now. */
export function editOfBlock({ op, before, after }: BlockChange): string {
  const landmark = (after ?? before)?.landmark ?? 0;
  return `${op} ${landmark} ${hashOf(before)} ${hashOf(after)}`;
}

export function editOfField({ name, from, to }: FieldChange): string {
  return `field ${createHash('sha1')
    .update(JSON.stringify([name, from, to]))
    .digest('base64url')}`;
}

function leastPages(edit: Edit, pagesPerFolder: ReadonlyMap<string, number>): number {
  if (!edit.isMain) return MIN_PAGES;
  const folders = edit.folders.size < MAX_FOLDERS ? edit.folders : pagesPerFolder.keys();
  let pages = 0;
  for (const folder of folders) pages += pagesPerFolder.get(folder) ?? 0;
  return Math.max(MIN_PAGES, pages * MIN_MAIN_SHARE);
}

const hashOf = (block: BlockChange['before']): string =>
  block === undefined ? '-' : Buffer.from(block.hash).toString('base64url');
