/** Options of a capture that records of changes need of each page. */
export interface ComparisonOptions {
  readonly cutBlocks: true;
  readonly volatileSelectors: { readonly selectors: string[] };
}

/**
 * Returns the options of a run whose pages may be compared with those of other runs. A crawl outside projects has them too: after
 * `POST /crawl/{id}/keep` it is the baseline of the first record of its project.
 */
export function comparisonOptions({
  volatile_selectors: selectors,
}: Readonly<Record<string, unknown>>): ComparisonOptions {
  return {
    cutBlocks: true,
    volatileSelectors: { selectors: Array.isArray(selectors) ? selectors.map(String) : [] },
  };
}
