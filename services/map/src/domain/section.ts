/** Finds the section of a file: the leading path segments that all its URLs share. */
export class SectionFinder {
  #shared: string[] | undefined;

  add(url: string): void {
    const path = pathOf(url);
    if (this.#shared === undefined) {
      this.#shared = path.split('/').slice(1, -1);
      return;
    }
    const shared = this.#shared;
    if (shared.length === 0) return;
    const segments = path.split('/').slice(1, -1);
    const differs = shared.findIndex((segment, at) => segments[at] !== segment);
    if (differs >= 0) shared.length = differs;
  }

  /** Returns the shared path, such as `/blog/`. If there is none, returns the file name without `sitemap` and its extension. */
  of(fileUrl: string): string {
    const shared = this.#shared ?? [];
    return shared.length > 0 ? `/${shared.join('/')}/` : nameOf(fileUrl);
  }
}

/** Returns the path of a normalised URL by string search, without parsing it again. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  if (start < 0) return '/';
  const end = url.indexOf('?', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

function nameOf(fileUrl: string): string {
  const file = pathOf(fileUrl).split('/').at(-1) ?? '';
  const bare = file.replace(/\.(?:xml|txt|rss|atom|gz|php|aspx?)(?=\.|$)/gi, '');
  const name = bare.replace(/^site-?map[-_.]?|[-_.]?site-?map$/gi, '');
  return name || bare || '/';
}
