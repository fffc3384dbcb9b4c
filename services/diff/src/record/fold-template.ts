import { createHash } from 'node:crypto';
import type { PageDelta } from '../domain/page-delta.ts';
import type { ComparedPage } from './compare-page.ts';
import { FrequentTally } from './frequent-tally.ts';
import { type Edit, editOfBlock, editOfField, type Place } from './name-edit.ts';
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

/** On how many pages an edit was seen in one place. */
interface Seen {
  count: number;
  /** Sum of hashes of the pages: two edits with the same one are of the same pages. */
  pages: number;
  readonly folders: Set<string>;
}

type Places = Map<Place, Seen>;

/** What is to be told once instead of page by page. */
export interface Folding {
  /** The statement an edit belongs to; undefined: it is the page's own. */
  readonly groupOf: (edit: Edit) => string | undefined;
  readonly isRedesign: boolean;
}

/** Nothing is folded: every page tells its own. */
export const NO_FOLDING: Folding = { groupOf: () => undefined, isRedesign: false };

/** Counts, in bounded memory, on how many pages each edit was seen. */
export class EditCensus {
  readonly #edits = new FrequentTally<Places>(MAX_EDITS);
  #remade = 0;

  see({ pageKey, delta, changedShare }: ComparedPage): void {
    if (changedShare > REMADE_SHARE) this.#remade += 1;
    const page = createHash('sha1').update(pageKey).digest().readUInt32BE();
    const folder = folderOf(pageKey);
    const met = new Map<string, Set<Place>>();
    for (const { name, place } of editsOf(delta)) met.set(name, (met.get(name) ?? new Set()).add(place));
    for (const [name, places] of met) {
      const edit = this.#edits.add(name, () => new Map());
      for (const place of places) {
        const seen = edit.get(place) ?? { count: 0, pages: 0, folders: new Set<string>() };
        edit.set(place, seen);
        seen.count += 1;
        seen.pages = (seen.pages + page) % 0x1_0000_0000;
        if (seen.folders.size < MAX_FOLDERS) seen.folders.add(folder);
      }
    }
  }

  /** @param pagesPerFolder pages read in each folder; @param compared pages that were compared in all */
  folding(pagesPerFolder: ReadonlyMap<string, number>, compared: number): Folding {
    const groups = new Map<string, string>();
    const told = new Set<string>();
    for (const { key: name, count, value: places } of this.#edits.entries())
      for (const [place, seen] of places) {
        if (seen.count < leastPages(place, seen, pagesPerFolder)) continue;
        // Said of the content too, and only on pages that say it around theirs: one statement tells both.
        const around = place === 'content' && places.get('around')?.count === count ? places.get('around') : undefined;
        const group = groupName(around ?? seen);
        groups.set(keyOf({ name, place }), group);
        // What makes no news by itself is told where a statement tells more of the same pages.
        if (place !== 'beside') told.add(group);
      }
    return {
      groupOf: (edit) => {
        const group = groups.get(keyOf(edit));
        return group === undefined || told.has(group) ? group : undefined;
      },
      isRedesign: this.#remade >= REDESIGN_PAGES && this.#remade >= compared * REDESIGN_SHARE,
    };
  }
}

/** Whether a page was made anew rather than edited. */
export const isRemade = ({ changedShare }: ComparedPage): boolean => changedShare > REMADE_SHARE;

/** What changes by itself is no edit. */
function editsOf({ blocks, fields }: PageDelta): Edit[] {
  return [...blocks.filter(({ isVolatile }) => isVolatile !== true).map(editOfBlock), ...fields.map(editOfField)];
}

const keyOf = ({ name, place }: Edit): string => `${place} ${name}`;

/** Edits seen on the very same pages are of one statement. */
const groupName = ({ count, pages }: Seen): string => `${count} ${pages}`;

function leastPages(place: Place, seen: Seen, pagesPerFolder: ReadonlyMap<string, number>): number {
  if (place === 'around') return MIN_PAGES;
  const folders = seen.folders.size < MAX_FOLDERS ? seen.folders : pagesPerFolder.keys();
  let pages = 0;
  for (const folder of folders) pages += pagesPerFolder.get(folder) ?? 0;
  return Math.max(MIN_PAGES, pages * MIN_MAIN_SHARE);
}
