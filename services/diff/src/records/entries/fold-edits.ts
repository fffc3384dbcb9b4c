import { createHash } from 'node:crypto';
import type { ComparedPage } from '../../domain/compared-page.ts';
import { FrequentItems } from '../../domain/frequent-items.ts';
import type { PageDelta } from '../../domain/page-delta.ts';
import { folderOf } from '../../domain/page-key.ts';
import { type Edit, type EditScope, editOfBlock, editOfField } from './edit-identity.ts';

/** Minimum number of pages with the same edit to fold it. */
const MIN_PAGES = 3;
/** In the main part, where equal edits occur by chance, also the minimum share of the pages in the affected folders. */
const MIN_MAIN_SHARE = 0.2;
/** Share of differing blocks above which a page counts as rewritten. */
const REWRITTEN_SHARE = 0.8;
/** Number and share of rewritten pages that make a redesign. */
const REDESIGN_PAGES = 5;
const REDESIGN_SHARE = 0.6;

const MAX_EDITS = 50_000;
const MAX_FOLDERS = 8;

/** Occurrences of an edit in one scope. */
interface EditStats {
  count: number;
  /** Sum of page hashes: equal sums mean the same set of pages. */
  pages: number;
  readonly folders: Set<string>;
}

type StatsByScope = Map<EditScope, EditStats>;

/** Result of folding. */
export interface Folding {
  /** Returns the group of an edit; undefined: the edit belongs to its page. */
  readonly groupOf: (edit: Edit) => string | undefined;
  readonly isRedesign: boolean;
}

/** No folding: every page lists its own edits. */
export const NO_FOLDING: Folding = { groupOf: () => undefined, isRedesign: false };

/** Counts the pages of each edit in bounded memory. */
export class EditCounter {
  readonly #edits = new FrequentItems<StatsByScope>(MAX_EDITS);
  #rewritten = 0;

  add({ pageKey, delta, changedShare }: ComparedPage): void {
    if (changedShare > REWRITTEN_SHARE) this.#rewritten += 1;
    const page = createHash('sha1').update(pageKey).digest().readUInt32BE();
    const folder = folderOf(pageKey);
    const scopesByEdit = new Map<string, Set<EditScope>>();
    for (const { name, scope } of editsOf(delta))
      scopesByEdit.set(name, (scopesByEdit.get(name) ?? new Set()).add(scope));
    for (const [name, scopes] of scopesByEdit) {
      const edit = this.#edits.add(name, () => new Map());
      for (const scope of scopes) {
        const stats = edit.get(scope) ?? { count: 0, pages: 0, folders: new Set<string>() };
        edit.set(scope, stats);
        stats.count += 1;
        stats.pages = (stats.pages + page) % 0x1_0000_0000;
        if (stats.folders.size < MAX_FOLDERS) stats.folders.add(folder);
      }
    }
  }

  /** @param pagesPerFolder pages read in each folder @param compared pages compared in total */
  folding(pagesPerFolder: ReadonlyMap<string, number>, compared: number): Folding {
    const groups = new Map<string, string>();
    const reported = new Set<string>();
    for (const { key: name, count, value: scopes } of this.#edits.entries())
      for (const [scope, stats] of scopes) {
        if (stats.count < minPages(scope, stats, pagesPerFolder)) continue;
        // A content edit that occurs only on pages with the same boilerplate edit joins its group.
        const boilerplate =
          scope === 'content' && scopes.get('boilerplate')?.count === count ? scopes.get('boilerplate') : undefined;
        const group = groupName(boilerplate ?? stats);
        groups.set(keyOf({ name, scope }), group);
        // Metadata edits are folded only into a group that has another edit of the same pages.
        if (scope !== 'metadata') reported.add(group);
      }
    return {
      groupOf: (edit) => {
        const group = groups.get(keyOf(edit));
        return group === undefined || reported.has(group) ? group : undefined;
      },
      isRedesign: this.#rewritten >= REDESIGN_PAGES && this.#rewritten >= compared * REDESIGN_SHARE,
    };
  }
}

/** Whether a page was rewritten rather than edited. */
export const isRewritten = ({ changedShare }: ComparedPage): boolean => changedShare > REWRITTEN_SHARE;

/** Returns the non-volatile edits of a page. */
function editsOf({ blocks, fields }: PageDelta): Edit[] {
  return [...blocks.filter(({ isVolatile }) => isVolatile !== true).map(editOfBlock), ...fields.map(editOfField)];
}

const keyOf = ({ name, scope }: Edit): string => `${scope} ${name}`;

/** Edits of the same set of pages form one group. */
const groupName = ({ count, pages }: EditStats): string => `${count} ${pages}`;

function minPages(scope: EditScope, stats: EditStats, pagesPerFolder: ReadonlyMap<string, number>): number {
  if (scope === 'boilerplate') return MIN_PAGES;
  const folders = stats.folders.size < MAX_FOLDERS ? stats.folders : pagesPerFolder.keys();
  let pages = 0;
  for (const folder of folders) pages += pagesPerFolder.get(folder) ?? 0;
  return Math.max(MIN_PAGES, pages * MIN_MAIN_SHARE);
}
