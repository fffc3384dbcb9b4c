/** Marks between the title of a page and the name of its site. */
const SEPARATOR = /\s[|\-–—·•:»]\s/g;
/** Titles that must end in the name: one or two may share an ending by chance. */
const MIN_TITLES = 3;

/** Returns what most titles of a site end in, with the mark before it, such as ` | Acme`; empty: nothing. */
export function siteNameIn(titles: readonly (string | null)[]): string {
  const known = [...new Set(titles.filter((title) => title !== null))];
  const counts = new Map<string, number>();
  for (const title of known)
    for (const { index } of title.matchAll(SEPARATOR)) {
      const ending = title.slice(index);
      if (index > 0) counts.set(ending, (counts.get(ending) ?? 0) + 1);
    }
  const [best] = [...counts].sort(([one, a], [other, b]) => b - a || other.length - one.length);
  return best !== undefined && best[1] >= MIN_TITLES && best[1] * 2 > known.length ? best[0] : '';
}

/** Returns a title without the name of its site. */
export const withoutSiteName = (title: string, siteName: string): string =>
  siteName !== '' && title.endsWith(siteName) ? title.slice(0, -siteName.length) : title;
