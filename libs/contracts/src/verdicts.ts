/**
 * Verdicts of pages that were read. `skipped`: read, then left out by the settings of the project. A blocked page and one that robots.txt
 * disallows were not read.
 */
const READ_VERDICTS: readonly string[] = ['ok', 'thin', 'cached', 'skipped'];

/** Returns whether a page with this verdict was read. */
export const isReadVerdict = (verdict: string): boolean => READ_VERDICTS.includes(verdict);

/** Returns the number of pages that were read, from the number of pages by verdict. */
export const pagesRead = (counts: Readonly<Record<string, number>>): number =>
  READ_VERDICTS.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);
