import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Case, listIn, readCases, textIn } from '../shared/corpora.ts';
import { printTable } from '../shared/table.ts';
import { atMost, type Goal, readingOf, unpacked } from './compare-readings.ts';
import { recordBetween, type SiteReading } from './record.ts';

const SITE = 'https://lucene.apache.org/';

interface Publish {
  readonly name: string;
  /** Entries of its record: changed pages, added and removed pages, and statements on many pages. */
  readonly entries: number;
  readonly modified: number;
  readonly templates: number;
  readonly isExact: boolean;
}

/** Evaluates the change records of a whole site, version by version. */
export async function luceneSite(): Promise<Goal[]> {
  const publishes = await unpacked('lucene-site/versions.tar.xz', async (folder) => {
    const publishes: Publish[] = [];
    for (const entry of readCases('changes/lucene-site/truth.json')) publishes.push(await publishOf(folder, entry));
    return publishes;
  });
  const sum = (pick: (publish: Publish) => number): number => publishes.reduce((total, one) => total + pick(one), 0);
  console.log(`lucene.apache.org: ${publishes.length} publishes`);
  printTable(
    ['publish', 'entries', 'pages modified', 'statements on many pages', 'added and removed'],
    publishes.map(({ name, entries, modified, templates, isExact }) => [
      name,
      String(entries),
      String(modified),
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

async function publishOf(folder: string, entry: Case): Promise<Publish> {
  const { entries } = await recordBetween(
    siteIn(join(folder, textIn(entry, 'a'))),
    siteIn(join(folder, textIn(entry, 'b'))),
  );
  const urlsOf = (kind: string): string[] => entries.filter((one) => one.kind === kind).map(({ url }) => url);
  return {
    name: `${textIn(entry, 'a').slice(0, 7)} ${textIn(entry, 'b').slice(0, 7)}`,
    entries: entries.length,
    modified: urlsOf('modified').length,
    templates: urlsOf('template').length,
    isExact: isTruth(entry, 'A', urlsOf('added')) && isTruth(entry, 'D', urlsOf('removed')),
  };
}

/** Compares the pages with those that git lists as added or deleted. */
function isTruth(entry: Case, letter: string, paths: readonly string[]): boolean {
  const named = listIn(entry, 'name_status')
    .map((line) => line.split('\t'))
    .flatMap(([kind, path]) => (kind === letter && path?.endsWith('.html') ? urlOf(path) : []));
  return named.sort().join() === [...paths].sort().join();
}

function siteIn(folder: string): SiteReading {
  const paths = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile() && file.name.endsWith('.html'))
        .map((file) => relative(folder, join(file.parentPath, file.name)))
    : [];
  return new Map(
    paths.map((path) => [urlOf(path), readingOf({ html: readFileSync(join(folder, path), 'utf8'), url: urlOf(path) })]),
  );
}

const urlOf = (path: string): string => SITE + path.replace(/^output\//, '');
