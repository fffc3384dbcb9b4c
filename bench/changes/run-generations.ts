import type { Change } from '@tidemark/api';
import type { Api } from '../../test/harness/api.ts';
import { printTable } from '../shared/table.ts';
import { type Site, startSite } from '../site/start-site.ts';
import type { TrueChange } from '../site/truth.ts';
import { atLeast, atMost, type Goal } from './compare-readings.ts';
import { showRecord, watchSite } from './run-project.ts';

const SHOWN = 10;

/** The site's own record of what changed from one generation to the next. */
interface Truth {
  /** By path: added, removed, modified, noise, links. */
  readonly changes: ReadonlyMap<string, TrueChange>;
  /** Paths of its pages in the first generation. */
  readonly pages: readonly string[];
  /** Other URLs of a page: path to path. */
  readonly copies: ReadonlyMap<string, string>;
}

/** Runs a project on the test site before and after a generation change, and compares the record with the site's truth. */
export async function siteRecords(api: Api, pages: number): Promise<Goal[]> {
  const site = await startSite({ pages, prewarm: true });
  try {
    const truth = await truthOf(site);
    const run = await watchSite(api, {
      seed: `${site.base}/`,
      config: { max_pages: 2 * pages, max_tier: 'http', concurrency: 20 },
    });
    showRecord('generation 1', await run());
    await site.moveTo(2);
    const second = await run();
    showRecord('generation 2', second);
    return scoreRecord(second.entries, truth);
  } finally {
    site.stop();
  }
}

async function truthOf(site: Site): Promise<Truth> {
  const changes = await site.changes(1, 2);
  const { pages } = await site.truth(1);
  const copies = pages.filter(({ canonical }) => canonical !== null);
  return {
    changes: new Map(changes.map((entry) => [entry.path, entry])),
    pages: pages.filter(({ kind }) => kind === 'page').map(({ path }) => path),
    copies: new Map(copies.map(({ path, canonical }) => [path, canonical ?? path])),
  };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function scoreRecord(entries: readonly Change[], truth: Truth): Goal[] {
  // A statement on many pages names one of them, which may also have its own entry.
  const ofPages = entries.filter(({ kind }) => kind !== 'template');
  const recorded = new Map(ofPages.map((entry) => [pathOf(entry.url), entry]));
  const originalOf = (path: string): string => truth.copies.get(path) ?? path.split('?')[0] ?? path;
  const truthOf = (path: string) => truth.changes.get(path) ?? truth.changes.get(originalOf(path));
  const pathsRecorded = (kind: Change['kind']): string[] =>
    [...recorded].filter(([, entry]) => entry.kind === kind).map(([path]) => path);
  const pathsTrue = (change: string): string[] =>
    [...truth.changes].filter(([, of]) => of.change === change).map(([path]) => path);
  const missed = pathsTrue('modified').filter((path) => recorded.get(path)?.kind !== 'modified');
  const modified = pathsRecorded('modified').filter((path) => recorded.get(path)?.movedFrom === null);
  const flagged = modified.filter((path) => truthOf(path)?.change !== 'modified');
  show(
    'modified, not recorded',
    missed,
    (path) => `${recorded.get(path)?.kind ?? 'same'} ${recorded.get(path)?.reason ?? ''}`,
  );
  show(
    'recorded as modified, not modified',
    flagged,
    (path) => `${truthOf(path)?.kinds.join('+') ?? 'no change'}: ${whyOf(recorded.get(path))}`,
  );
  const of = pathsTrue('modified').length;
  return [
    atLeast('test site end to end: modified pages found', (of - missed.length) / of, 1),
    atLeast(
      'test site end to end: precision of modified',
      (modified.length - flagged.length) / (modified.length || 1),
      0.97,
    ),
    ...(['added', 'removed'] as const).map((kind) => exactly(kind, pathsRecorded(kind), pathsTrue(kind), truth)),
    ...noiseOf(truth, recorded),
  ];
}

/** Checks that added or removed pages are exactly the expected ones. */
function exactly(
  kind: 'added' | 'removed',
  recorded: readonly string[],
  expected: readonly string[],
  truth: Truth,
): Goal {
  const wrong = recorded.filter((path) => !expected.includes(path) && !truth.copies.has(path));
  const missed = expected.filter((path) => !recorded.includes(path));
  show(`${kind}, not recorded`, missed, () => '');
  show(`recorded as ${kind}, not ${kind}`, wrong, () => '');
  const text = `${expected.length - missed.length} of ${expected.length}, ${wrong.length} wrong`;
  return { name: `test site end to end: ${kind} pages exact`, text, met: wrong.length + missed.length === 0 };
}

/** Returns, for each class of noise, the share of pages recorded as modified. */
function noiseOf({ changes, pages }: Truth, recorded: ReadonlyMap<string, Change>): Goal[] {
  const quiet = pages.filter((path) => !['added', 'removed', 'modified'].includes(changes.get(path)?.change ?? ''));
  const classes = new Map<string, string[]>();
  for (const path of quiet) {
    const kinds = changes.get(path)?.kinds ?? [];
    // A live counter differs at every request: its pages are a class of their own.
    const shown = kinds.includes('volatile') ? ['volatile'] : kinds;
    for (const kind of shown.length === 0 ? ['(none)'] : shown) classes.set(kind, [...(classes.get(kind) ?? []), path]);
  }
  const rows = [...classes].sort().map(([kind, paths]) => {
    const flagged = paths.filter((path) => recorded.get(path)?.kind === 'modified').length;
    return { kind, pages: paths.length, flagged, share: flagged / paths.length };
  });
  printTable(
    ['what else changed', 'pages', 'recorded as modified'],
    rows.map(({ kind, pages: count, flagged }) => [kind, String(count), String(flagged)]),
  );
  return rows.map(({ kind, share }) => atMost(`test site end to end: ${kind} recorded as modified`, share, 0.01));
}

function whyOf(entry: Change | undefined): string {
  const block = entry?.blocks.find(({ volatile }) => !volatile);
  const summary =
    block === undefined ? '' : `${block.op} in ${block.landmark}: ${(block.after ?? block.before ?? '').slice(0, 80)}`;
  return [summary, ...(entry?.fields ?? []).map(({ name, from, to }) => `${name}: ${from} → ${to}`.slice(0, 120))].join(
    '; ',
  );
}

function show(what: string, paths: readonly string[], why: (path: string) => string): void {
  if (paths.length === 0) return;
  console.log(`  ${what}: ${paths.length}`);
  for (const path of paths.slice(0, SHOWN)) console.log(`    ${path} ${why(path)}`);
}
