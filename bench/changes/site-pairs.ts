import pLimit from 'p-limit';
import { printTable } from '../shared/table.ts';
import { GENERATION_HEADER } from '../site/site.ts';
import { type Site, startSite } from '../site/start-site.ts';
import { atLeast, atMost, comparePair, type Goal, readingOf } from './compare-readings.ts';

const PAGES = 1_500;
const AT_ONCE = 20;

interface Seen {
  /** The site's label: modified, noise, links or same. */
  readonly change: string;
  readonly kinds: readonly string[];
  readonly isModified: boolean;
}

/** Compares two generations of the test site page by page, without history. */
export async function siteGenerations(): Promise<Goal[]> {
  const site = await startSite({ pages: PAGES });
  try {
    return report(await seenOn(site));
  } finally {
    site.stop();
  }
}

async function seenOn(site: Site): Promise<Seen[]> {
  const changes = new Map((await site.changes(1, 2)).map((entry) => [entry.path, entry]));
  const paths = (await site.truth(1)).pages
    .filter(({ kind }) => kind === 'page')
    .map(({ path }) => path)
    .filter((path) => !['added', 'removed'].includes(changes.get(path)?.change ?? ''));
  return pLimit(AT_ONCE).map(paths, async (path) => {
    const url = site.base + path;
    const [before, after] = await Promise.all([pageAt(url, 1), pageAt(url, 2)]);
    const { change = 'same', kinds = [] } = changes.get(path) ?? {};
    const { isModified } = comparePair(readingOf({ html: before, url }), readingOf({ html: after, url }));
    return { change, kinds, isModified };
  });
}

function report(seen: readonly Seen[]): Goal[] {
  const isVolatile = ({ kinds }: Seen): boolean => kinds.includes('volatile');
  const share = (some: readonly Seen[]): number =>
    some.filter(({ isModified }) => isModified).length / (some.length || 1);
  const modified = seen.filter(({ change }) => change === 'modified');
  const rest = seen.filter(({ change }) => change !== 'modified');
  const kinds = [...new Set(rest.flatMap((page) => (page.kinds.length === 0 ? ['(none)'] : page.kinds)))].sort();
  const ofKind = (kind: string): Seen[] =>
    rest.filter(
      (page) =>
        (kind === '(none)' ? page.kinds.length === 0 : page.kinds.includes(kind)) &&
        (kind === 'volatile' || !isVolatile(page)),
    );
  console.log(
    `test site, generation 1 to 2: ${seen.length} pages, ${modified.length} modified; pages with a live counter apart, which is to be learned`,
  );
  printTable(
    ['what else changed', 'pages', 'reported as modified'],
    kinds.map((kind) => [kind, String(ofKind(kind).length), share(ofKind(kind)).toFixed(3)]),
  );
  const flagged = rest.filter((page) => page.isModified && !isVolatile(page)).length;
  const found = modified.filter(({ isModified }) => isModified).length;
  return [
    atLeast('test site: modified pages found', share(modified), 1),
    atLeast('test site: precision, live counters apart', found / (found + flagged || 1), 0.97),
    ...kinds
      .filter((kind) => kind !== 'volatile')
      .map((kind) => atMost(`test site: ${kind} reported as modified`, share(ofKind(kind)), 0.01)),
  ];
}

async function pageAt(url: string, generation: number): Promise<string> {
  const headers = { [GENERATION_HEADER]: String(generation) };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  return response.text();
}
