import { FrequentItems } from '../domain/frequent-items.ts';
import type { PageReading } from '../domain/page-reading.ts';

/**
 * Minimum number of pages with one signature, and their minimum share of all pages, for the site to be considered
 * generic.
 */
const MIN_PAGES = 5;
const MIN_SHARE = 0.3;
const MAX_SIGNATURES = 1_000;

interface SignatureStats {
  readonly before: string;
  /** Pages whose earlier signature differs from that of the first page counted. */
  differentBefore: number;
}

/**
 * Detects the one page that a site serves in place of many: an error page or an app shell with status 200. Counts only
 * pages whose signatures differed before and are equal now, so that pages that were always identical are not detected.
 */
export class GenericPageDetector {
  readonly #signatures = new FrequentItems<SignatureStats>(MAX_SIGNATURES);
  #pages = 0;

  /** Adds a page that was readable in the baseline and in this run. */
  add(before: PageReading, now: PageReading): void {
    this.#pages += 1;
    if (before.contentHash !== '' && before.contentHash === now.contentHash) return;
    const previous = signaturesOf(before);
    for (const [kind, signature] of signaturesOf(now).entries()) {
      const earlier = previous[kind] ?? '';
      if (signature === '' || signature === earlier) continue;
      const stats = this.#signatures.add(signature, () => ({ before: earlier, differentBefore: 0 }));
      if (stats.before !== earlier) stats.differentBefore += 1;
    }
  }

  /** Returns the signatures that many formerly distinct pages share now. */
  genericSignatures(): ReadonlySet<string> {
    const minPages = Math.max(MIN_PAGES, this.#pages * MIN_SHARE);
    const found = new Set<string>();
    for (const { key, count, value } of this.#signatures.entries())
      if (count >= minPages && value.differentBefore >= count / 2) found.add(key);
    return found;
  }
}

/** Whether the page shows only the site's generic page. */
export function isGenericPage(reading: PageReading, genericSignatures: ReadonlySet<string>): boolean {
  return genericSignatures.size > 0 && signaturesOf(reading).some((signature) => genericSignatures.has(signature));
}

/**
 * Returns the hash of the main content, and the title with the word count, because an error page may contain a unique
 * id.
 */
function signaturesOf({ contentHash, title, words }: PageReading): readonly [content: string, title: string] {
  return [contentHash === '' ? '' : `content ${contentHash}`, title === '' ? '' : `title ${words} ${title}`];
}
