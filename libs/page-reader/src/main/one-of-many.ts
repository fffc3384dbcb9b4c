import { makeOf } from '../tree/make-of.ts';
import { type Element, linkDensity } from '../tree/page-tree.ts';
import { PageKind } from './page-kind.ts';
import {
  ARTICLE_SHARE,
  ENTRY_WORDS,
  LEAST,
  ONE_OF_MANY_LINK_SHARE,
  ONE_OF_MANY_SHARE,
  ONE_OF_MANY_SIBLINGS_CAP,
  WRAPPER_SHARE,
} from './thresholds.ts';

/** Returns the outermost box around an element that holds little else. */
function entryOf(element: Element): Element {
  let entry = element;
  while (entry.parent && entry.parent.words <= element.words * WRAPPER_SHARE) entry = entry.parent;
  return entry;
}

/** True for one of several like boxes that hold most of the words, such as the entries of a list. */
export function isOneOfMany(element: Element, totalWords: number, kind: PageKind): boolean {
  const listsLinks = kind === PageKind.listing;
  if (!listsLinks && linkDensity(element) > ONE_OF_MANY_LINK_SHARE) return false;
  const entry = entryOf(element);
  const siblings = entry.parent?.children ?? [];
  if (siblings.length < LEAST || siblings.length > ONE_OF_MANY_SIBLINGS_CAP) return false;
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
    words >= totalWords * (kind === PageKind.article ? ARTICLE_SHARE : ONE_OF_MANY_SHARE)
  );
}
