import type { PageReading } from '../domain/page-reading.ts';
import { FrequentItems } from '../streaming/frequent-items.ts';

/** Pages that must have taken on one face before a site is taken to answer everything alike. */
const MIN_PAGES = 5;
const MIN_SHARE = 0.3;
const MAX_SIGNATURES = 1_000;

interface SignatureStats {
  readonly before: string;
  /** Pages whose earlier face was another than that of the first of them. */
  differentBefore: number;
}

/**
 * Finds the one page that a site shows in place of many: an error page or a shell that answers 200. Only pages that had
 * different faces before and have one now are counted, so that pages that were always alike are none.
 */
export class GenericPageDetector {
  readonly #signatures = new FrequentItems<SignatureStats>(MAX_SIGNATURES);
  #pages = 0;

  /** A page that was read before and now. */
  add(before: PageReading, now: PageReading): void {
    this.#pages += 1;
    if (before.contentHash !== '' && before.contentHash === now.contentHash) return;
    const previous = signaturesOf(before);
    for (const [kind, signature] of signaturesOf(now).entries()) {
      const earlier = previous[kind] ?? '';
      if (signature === '' || signature === earlier) continue;
      const seen = this.#signatures.add(signature, () => ({ before: earlier, differentBefore: 0 }));
      if (seen.before !== earlier) seen.differentBefore += 1;
    }
  }

  /** The faces that stand for no page of their own any more. */
  genericSignatures(): ReadonlySet<string> {
    const minPages = Math.max(MIN_PAGES, this.#pages * MIN_SHARE);
    const found = new Set<string>();
    for (const { key, count, value } of this.#signatures.entries())
      if (count >= minPages && value.differentBefore >= count / 2) found.add(key);
    return found;
  }
}

/** Whether the site's one face is all that this page shows. */
export function isGenericPage(reading: PageReading, genericSignatures: ReadonlySet<string>): boolean {
  return genericSignatures.size > 0 && signaturesOf(reading).some((signature) => genericSignatures.has(signature));
}

/** The words of its main part; its title with their number, where an error page carries an id of its own. */
function signaturesOf({ contentHash, title, spec }: PageReading): readonly [content: string, title: string] {
  return [contentHash === '' ? '' : `content ${contentHash}`, title === '' ? '' : `title ${spec} ${title}`];
}
