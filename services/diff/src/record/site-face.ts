import { FrequentTally } from './frequent-tally.ts';
import type { PageReading } from './page-reading.ts';

/** Pages that must have taken on one face before a site is taken to answer everything alike. */
const MIN_PAGES = 5;
const MIN_SHARE = 0.3;
const FACES = 1_000;

interface Face {
  readonly before: string;
  /** Pages whose earlier face was another than that of the first of them. */
  others: number;
}

/**
 * Finds the one page that a site shows in place of many: an error page or a shell that answers 200. Only pages that had
 * different faces before and have one now are counted, so that pages that were always alike are none.
 */
export class SiteFace {
  readonly #faces = new FrequentTally<Face>(FACES);
  #pages = 0;

  /** A page that was read before and now. */
  see(before: PageReading, now: PageReading): void {
    this.#pages += 1;
    if (before.contentHash !== '' && before.contentHash === now.contentHash) return;
    const was = facesOf(before);
    for (const [kind, face] of facesOf(now).entries()) {
      const earlier = was[kind] ?? '';
      if (face === '' || face === earlier) continue;
      const seen = this.#faces.add(face, () => ({ before: earlier, others: 0 }));
      if (seen.before !== earlier) seen.others += 1;
    }
  }

  /** The faces that stand for no page of their own any more. */
  floods(): ReadonlySet<string> {
    const least = Math.max(MIN_PAGES, this.#pages * MIN_SHARE);
    const found = new Set<string>();
    for (const { key, count, value } of this.#faces.entries())
      if (count >= least && value.others >= count / 2) found.add(key);
    return found;
  }
}

/** Whether the site's one face is all that this page shows. */
export function isFlooded(reading: PageReading, floods: ReadonlySet<string>): boolean {
  return floods.size > 0 && facesOf(reading).some((face) => floods.has(face));
}

/** The words of its main part; its title with their number, where an error page carries an id of its own. */
function facesOf({ contentHash, title, words }: PageReading): readonly [content: string, title: string] {
  return [contentHash === '' ? '' : `content ${contentHash}`, title === '' ? '' : `title ${words} ${title}`];
}
