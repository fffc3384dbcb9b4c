import { makeOf } from '../tree/make-of.ts';
import { type Element, linkDensity } from '../tree/page-tree.ts';
import { PageKind } from './page-kind.ts';

/** Like siblings with this share of the words are the content, whatever their name is. */
const SHARE = 0.5;
/** The same in an article, which has other articles beside it. */
const ARTICLE_SHARE = 0.8;
const LEAST = 3;
/** Entries of fewer words, on average, are labels of a menu. */
const ENTRY_WORDS = 12;
/** Words of a box around an entry, as a share of the words of the entry. */
const WRAPPER_SHARE = 1.2;
const SIBLINGS_CAP = 500;
/** Boxes with a larger share of link text are menus and teasers, which are content of a listing only. */
const LINK_SHARE = 0.6;

/** Returns the outermost box around an element that holds little else. */
function entryOf(element: Element): Element {
  let entry = element;
  while (entry.parent && entry.parent.words <= element.words * WRAPPER_SHARE) entry = entry.parent;
  return entry;
}

/** True for one of several like boxes that hold most of the words, such as the entries of a list. */
export function isOneOfMany(element: Element, totalWords: number, kind: PageKind): boolean {
  const listsLinks = kind === PageKind.listing;
  if (!listsLinks && linkDensity(element) > LINK_SHARE) return false;
  const entry = entryOf(element);
  const siblings = entry.parent?.children ?? [];
  if (siblings.length < LEAST || siblings.length > SIBLINGS_CAP) return false;
  const make = makeOf(entry);
  let words = 0;
  let count = 0;
  for (const sibling of siblings) {
    if (typeof sibling === 'string' || sibling.words === 0 || makeOf(sibling) !== make) continue;
    words += sibling.words;
    count++;
  }
  return (
    count >= LEAST &&
    words >= count * ENTRY_WORDS &&
    words >= totalWords * (kind === PageKind.article ? ARTICLE_SHARE : SHARE)
  );
}
