/** Interns the names as property keys, which the engine compares by address instead of by character. */
export const asKeys = (names: Iterable<string>): string[] =>
  Object.keys(Object.fromEntries([...names].map((name): [string, true] => [name, true])));

/** Names of the attributes that later steps read. */
export const KEPT_ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  asKeys(
    (
      'id class role style hidden aria-hidden aria-label aria-modal aria-controls aria-haspopup data-bs-target data-target data-bs-toggle data-toggle href src srcset alt title name content property http-equiv charset ' +
      'rel hreflang type media lang dir width height colspan rowspan align start value reversed checked datetime itemprop itemtype ' +
      'itemscope data-src data-srcset data-original data-lazy-src data-lazy-srcset data-lazy data-original-src data-full-src ' +
      'data-hi-res-src data-image data-url data-lang data-language data-code-lang data-sitekey data-line-number data-nosnippet ' +
      'encoding display alttext data-math data-latex action method for open cite sizes as autocomplete placeholder ' +
      'shadowrootmode data-testid data-component-name data-callout abbr itemref typeof disabled aria-disabled'
    ).split(' '),
  ).map((name) => [name, name]),
);
