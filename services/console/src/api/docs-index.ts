/** A route of the documentation. */
export interface DocsEntry {
  /** Such as `POST /scrape`. */
  readonly name: string;
  readonly summary: string;
  /** Path on this origin. */
  readonly href: string;
}

const ENTRY = /^- \[([^\]]+)\]\(([^)\s]+)\): (.*)$/;

/** Returns the entries of an index of the documentation in the form of llms.txt: list items with a link and a summary. */
export function docsEntries(index: string): readonly DocsEntry[] {
  return index.split('\n').flatMap((line) => {
    const [, name, url, summary] = ENTRY.exec(line) ?? [];
    if (name === undefined || url === undefined || summary === undefined || !URL.canParse(url)) return [];
    const { pathname, hash } = new URL(url);
    // The texts for language models are no pages.
    if (!pathname.startsWith('/v1/docs') || pathname.endsWith('.md')) return [];
    return [{ name, summary, href: `${pathname}${hash}` }];
  });
}

/** Reads the index of the documentation of this origin; none where it has no index. */
export async function readDocsIndex(signal: AbortSignal): Promise<readonly DocsEntry[]> {
  const response = await fetch('/llms.txt', { signal });
  return response.ok ? docsEntries(await response.text()) : [];
}
