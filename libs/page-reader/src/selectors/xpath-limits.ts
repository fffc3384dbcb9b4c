import { RefusedSelector, SELECTOR_CHARS_CAP } from './selector-limits.ts';

/**
 * Functions whose cost is linear in the size of the page: those of XPath 1.0, and the plain string and sequence
 * functions of later versions.
 */
const FUNCTIONS = new Set(
  (
    'last position count id name local-name namespace-uri string concat starts-with ends-with contains substring ' +
    'substring-before substring-after string-length normalize-space translate boolean not true false lang number sum floor ' +
    'ceiling round abs avg min max string-join lower-case upper-case exists empty'
  ).split(' '),
);
/** Node tests and operators that look like function calls. */
const NOT_CALLS = new Set(
  'text node comment element attribute document-node and or div mod idiv union intersect except eq ne lt le gt ge is'.split(
    ' ',
  ),
);
const STEP_CAP = 30;

const REFUSED: readonly [RegExp, string][] = [
  // Variables occur only with loops, functions and quantifiers, whose cost is unbounded.
  [/\$/, 'variables, loops and functions of its own'],
  [/\(:/, 'comments'],
  [/[{}#?%]|=>|!(?!=)/, 'constructors, lookups and maps'],
  // Steps that yield values create sequences that are compared pairwise, without visits that could be counted.
  [
    /\/\s*(?:[("\d]|\.\d|(?!(?:[a-z-]+::)?(?:text|node|comment|element|attribute)\s*\()[\w.:-]*\w\s*\()/,
    'values as steps',
  ],
  [/(?<![@/:a-zA-Z_-])to(?![a-zA-Z_-])/, 'ranges'],
];

/**
 * Checks that an XPath is small enough to run: XPath 1.0 and some functions of later versions. Refuses everything that
 * can loop beyond the page's size (ranges, variables, patterns).
 * @throws RefusedSelector
 */
export function checkXpath(selector: string): void {
  if (selector.length > SELECTOR_CHARS_CAP) throw new RefusedSelector(`longer than ${SELECTOR_CHARS_CAP} characters`);
  const bare = selector.replace(/"[^"]*"|'[^']*'/g, '""');
  for (const [pattern, what] of REFUSED)
    if (pattern.test(bare)) throw new RefusedSelector(`${what} are not supported in XPath`);
  for (const [, name = ''] of bare.matchAll(/([A-Za-z_][\w.:-]*)\s*\(/g)) {
    const local = name.replace(/^fn:/, '').replace(/^[a-z-]+::/, '');
    if (!FUNCTIONS.has(local) && !NOT_CALLS.has(local))
      throw new RefusedSelector(`the function ${local}() is not supported`);
  }
  if ((bare.match(/\/+|::/g)?.length ?? 0) > STEP_CAP) throw new RefusedSelector(`more than ${STEP_CAP} steps`);
}
