import { collapseSpaces } from '../tree/page-tree.ts';

/** Zero-width characters and soft hyphens, which are not rendered. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** The same, or white space other than single spaces. */
const NEEDS_COLLAPSING = /[^\S ]| \s|[\u00ad\u200b-\u200d\u2060]/;

/** Returns the text as rendered: on one line, without invisible characters. */
export function normalizeText(raw: string): string {
  // Trimming is all that most texts need.
  const text = raw.trim();
  return NEEDS_COLLAPSING.test(text) ? collapseSpaces(text.replace(INVISIBLE, '')) : text;
}
