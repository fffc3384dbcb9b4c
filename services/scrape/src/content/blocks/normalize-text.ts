import { collapseSpaces } from '../tree/page-tree.ts';

/** Zero-width characters and soft hyphens: no reader sees them. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** Or white space that is more than single spaces. */
const NEEDS_COLLAPSING = /[^\S ]| \s|[\u00ad\u200b-\u200d\u2060]/;

/** Text as a reader sees it: on one line, without characters nobody sees. */
export function normalizeText(raw: string): string {
  // What is around it is all that most texts have to lose.
  const text = raw.trim();
  return NEEDS_COLLAPSING.test(text) ? collapseSpaces(text.replace(INVISIBLE, '')) : text;
}
