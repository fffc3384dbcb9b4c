import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EditCensus, editOfBlock, editOfField } from '../../services/diff/src/record/fold-template.ts';
import { type Case, listIn, readCases, textIn } from './content-corpora.ts';
import { atMost, comparePair, type Goal, readingOf, unpacked } from './eval-changes-readings.ts';
import { printTable } from './eval-totals.ts';

const SITE = 'https://lucene.apache.org/';

interface Publish {
  readonly name: string;
  readonly unfolded: number;
  /** Pages with something of their own, statements on many pages, pages that came and went. */
  readonly entries: number;
  readonly templates: number;
  readonly isExact: boolean;
}

/** Versions of a whole site, as they were published one after the other. */
export async function luceneSite(): Promise<Goal[]> {
  const publishes = await unpacked('lucene-site/versions.tar.xz', (folder) =>
    readCases('changes/lucene-site/truth.json').map((entry) => publishOf(folder, entry)),
  );
  const sum = (pick: (publish: Publish) => number): number => publishes.reduce((total, one) => total + pick(one), 0);
  console.log(`lucene.apache.org: ${publishes.length} publishes`);
  printTable(
    ['publish', 'pages that differ', 'entries', 'of these templates', 'added and removed'],
    publishes.map(({ name, unfolded, entries, templates, isExact }) => [
      name,
      String(unfolded),
      String(entries),
      String(templates),
      isExact ? 'exact' : 'WRONG',
    ]),
  );
  return [
    atMost(
      'lucene-site entries',
      sum(({ entries }) => entries),
      80,
    ),
    atMost(
      'lucene-site publishes with a page added or removed wrongly',
      sum(({ isExact }) => (isExact ? 0 : 1)),
      0,
    ),
  ];
}

function publishOf(folder: string, entry: Case): Publish {
  const [a, b] = [join(folder, textIn(entry, 'a')), join(folder, textIn(entry, 'b'))];
  const [old, now] = [pagesIn(a), pagesIn(b)];
  const [added, removed] = [now.filter((path) => !old.includes(path)), old.filter((path) => !now.includes(path))];
  const compared = now
    .filter((path) => old.includes(path))
    .map((path) => ({ path, ...comparePair(readingOf(sourceOf(a, path)), readingOf(sourceOf(b, path))) }))
    .filter(({ delta }) => delta.blocks.length + delta.fields.length > 0 && !delta.isReordered);
  const census = new EditCensus();
  for (const { path, delta } of compared)
    census.see({
      pageKey: path,
      url: path,
      delta,
      changedShare: 0,
      template: '',
      baselineRunId: '',
      verdicts: ['ok', 'ok'],
    });
  const { groupOf } = census.folding(new Map([['', now.length]]), now.length);
  const groups = new Set<string>();
  const own = compared.filter(({ delta }) => {
    const edits = [
      ...delta.blocks.filter(({ isVolatile }) => isVolatile !== true).map(editOfBlock),
      ...delta.fields.map(editOfField),
    ];
    for (const edit of edits) groups.add(groupOf(edit) ?? '');
    return edits.some((edit) => groupOf(edit) === undefined);
  });
  groups.delete('');
  return {
    name: `${textIn(entry, 'a').slice(0, 7)} ${textIn(entry, 'b').slice(0, 7)}`,
    unfolded: compared.length,
    entries: own.length + groups.size + added.length + removed.length,
    templates: groups.size,
    isExact: isTruth(entry, added, removed),
  };
}

const sourceOf = (folder: string, path: string): { html: string; url: string } => ({
  html: readFileSync(join(folder, path), 'utf8'),
  url: SITE + path.replace(/^output\//, ''),
});

function isTruth(entry: Case, added: readonly string[], removed: readonly string[]): boolean {
  const status = listIn(entry, 'name_status').map((line) => line.split('\t'));
  const named = (letter: string): string =>
    status
      .flatMap(([kind, path]) => (kind === letter ? (path ?? '') : []))
      .sort()
      .join();
  return named('A') === [...added].sort().join() && named('D') === [...removed].sort().join();
}

const pagesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile() && file.name.endsWith('.html'))
        .map((file) => relative(folder, join(file.parentPath, file.name)))
    : [];
