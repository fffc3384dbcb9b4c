import { describe, expect, it } from '@jest/globals';
import { MemoryProject } from '../../../test/fixtures/memory-project.ts';
import { type BlockSpec, blocksOf, readingOf, type SitePage } from '../../../test/fixtures/site-pages.ts';
import { comparePages } from '../../comparison/compare-pages.ts';
import type { PageReading } from '../../domain/page-reading.ts';
import {
  choosePagesToRecapture,
  isRecentlyFetched,
  learnFromRecaptures,
  recaptureSample,
} from '../../volatility/recapture-sample.ts';

const AT = '2026-01-01T00:00:30.000Z';
const urlOf = (name: string): string => `http://a.example/p/${name}`;

/** Texts without a common word. */
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heron', 'iris'];

const page = (...texts: readonly (string | BlockSpec)[]): SitePage => ({ blocks: ['A text that stays', ...texts] });
const featured = (what: string): BlockSpec => ({ text: `Featured today: ${what}`, anchor: 'main>aside>p' });

/** The readings of a page: by the first run, by three recaptures, and by the second run. */
type Readings = readonly [first: SitePage, a: SitePage, b: SitePage, c: SitePage, second: SitePage];

/** Runs a project, recaptures its pages, runs it again, and returns the second record. */
async function secondRecord(site: Readonly<Record<string, Readings>>) {
  const project = new MemoryProject();
  const readingsAt = (at: number) =>
    Object.fromEntries(Object.entries(site).map(([name, readings]) => [urlOf(name), readings[at] ?? {}]));
  await project.run(readingsAt(0));
  const samples = Object.entries(site).map(([name, readings]) => {
    const [first, ...recaptures] = readings.slice(0, 4).map(blocksOf);
    const successive = [first, ...recaptures].flatMap((blocks) => blocks ?? []);
    const differences = successive
      .slice(1)
      .flatMap((blocks, at) => successive[at] && comparePages(successive[at], blocks, { deadlineMs: 5_000 }));
    return recaptureSample(
      `a.example/p/${name}`,
      successive.at(-1) ?? blocksOf({}),
      differences.flatMap((one) => one ?? []),
    );
  });
  const learned = learnFromRecaptures({ anchors: [], templates: [] }, samples, AT);
  project.anchors = new Map(learned.anchors.map((state) => [state.anchor, state]));
  project.templates = [...learned.templates];
  const record = await project.run(readingsAt(4), { request: { templateChanges: 'each' } });
  return { ...record, project };
}

/** Readings of a page with one more block, by its texts. */
const showing = (texts: readonly string[], block = featured): Readings => {
  const [first, a, b, c, second] = texts.map((text) => page(block(text)));
  return [first ?? {}, a ?? {}, b ?? {}, c ?? {}, second ?? {}];
};

describe('recaptures of sample pages', () => {
  it('make the next record ignore a block that differs in each of them', async () => {
    const { head, entries, ignored } = await secondRecord({ a: showing(['v', 'w', 'x', 'y', 'z']) });
    expect([head.counts.modified, entries]).toEqual([0, []]);
    expect(ignored).toMatchObject([
      {
        url: urlOf('a'),
        reason: 'recaptures_differ',
        before: 'Featured today: v',
        after: 'Featured today: z',
        since: AT,
        comparisons: 2,
        changed: 2,
      },
    ]);
  });

  it.each([
    ['the first capture and the first recapture', ['v', 'w', 'w', 'w', 'w']],
    ['the first and the second recapture', ['v', 'v', 'w', 'w', 'w']],
    ['the second and the third recapture', ['v', 'v', 'v', 'w', 'w']],
    ['the recaptures and the second run', ['v', 'v', 'v', 'v', 'w']],
    ['the recaptures, and again before the second run', ['v', 'v', 'w', 'w', 'x']],
    ['the first capture and a recapture, twice', ['v', 'w', 'x', 'x', 'x']],
  ])('never hide an edit between %s', async (_, texts) => {
    const { head } = await secondRecord({ a: showing(texts) });
    expect(head.counts).toMatchObject({ modified: 1, volatileBlocks: 0 });
  });

  it('never hide an edit beside a block that changes by itself', async () => {
    const readings = [0, 1, 2, 3, 4].map((at) =>
      page(at < 2 ? 'Old price list' : 'New price list', featured(WORDS[at] ?? '')),
    );
    const [first = {}, a = {}, b = {}, c = {}, second = {}] = readings;
    const { entries } = await secondRecord({ a: [first, a, b, c, second] });
    expect(entries).toMatchObject([{ kind: 'modified', wordsAdded: 1, wordsRemoved: 1 }]);
  });

  it('cover a paragraph that appears and disappears', async () => {
    const [off, on] = [page(), page('Two people look at this page')];
    const { head } = await secondRecord({ a: [off, on, off, on, on] });
    expect(head.counts).toMatchObject({ modified: 0, volatileBlocks: 1 });
  });

  it('report a paragraph that was added between two recaptures', async () => {
    const [off, on] = [page(), page('The publisher added this paragraph')];
    const { head } = await secondRecord({ a: [off, off, on, on, on] });
    expect(head.counts).toMatchObject({ modified: 1, volatileBlocks: 0 });
  });

  it('prove a place for pages that were not recaptured only by most of those that were', async () => {
    const static4 = (edited: string): Readings => showing(['v', 'v', 'v', 'v', edited]);
    const { entries } = await secondRecord({
      a: showing(['v', 'w', 'x', 'y', 'z']),
      b: static4('v'),
      c: static4('edited by a person'),
      d: static4('v'),
    });
    expect(entries.map(({ url }) => url)).toEqual([urlOf('c')]);
    const all = await secondRecord({
      a: showing(['v', 'w', 'x', 'y', 'z']),
      b: showing(['e', 'f', 'g', 'h', 'i']),
      c: static4('another one'),
    });
    expect(all.head.counts).toMatchObject({ modified: 0, volatileBlocks: 3 });
  });

  it('teach nothing that a run which shows the block unchanged does not take back', async () => {
    const { project } = await secondRecord({ a: showing(['v', 'w', 'x', 'y', 'v']) });
    const { head } = await project.run({ [urlOf('a')]: page(featured('edited by a person')) });
    expect(head.counts).toMatchObject({ modified: 1, volatileBlocks: 0 });
  });

  it.each([
    ['a price', (text: string): BlockSpec => ({ text: `$19 for ${text}`, anchor: 'main>aside>p' })],
    ['a headline by its class', (text: string): BlockSpec => ({ text: `${text} wins`, anchor: 'main>div.headline' })],
    [
      'a link in the main part',
      (text: string): BlockSpec => ({ text: 'Read it', anchor: 'main>p.more', links: [`http://a.example/${text}`] }),
    ],
  ])('never teach %s', async (_, block) => {
    const { head } = await secondRecord({ a: showing(WORDS.slice(0, 5), block) });
    expect(head.counts).toMatchObject({ modified: 1, volatileBlocks: 0 });
  });
});

const pageAt = (url: string, more: Partial<PageReading> = {}): PageReading => ({
  ...readingOf('run_1', url, page('bees')),
  ...more,
});

it('choosePagesToRecapture limits pages per folder and per run', async () => {
  const urls = Array.from({ length: 2_000 }, (_, at) => `http://a.example/folder${at % 100}/page${at}`).sort();
  const chosen = await choosePagesToRecapture(oneBatch(urls.map((url) => pageAt(url))));
  expect(chosen).toHaveLength(50);
  expect(chosen.filter(({ pageKey }) => pageKey.startsWith('a.example/folder0/'))).toHaveLength(5);
});

it('choosePagesToRecapture prefers the most recently fetched pages', async () => {
  const pages = Array.from({ length: 200 }, (_, at) =>
    pageAt(`http://a.example/folder${at % 20}/page${at}`, { fetchedAtMs: (at * 37) % 200 }),
  );
  const chosen = await choosePagesToRecapture(oneBatch(pages));
  expect(chosen.map(({ fetchedAtMs }) => fetchedAtMs).toSorted((a = 0, b = 0) => a - b)).toEqual(
    Array.from({ length: 50 }, (_, at) => 150 + at),
  );
  const recent = pageAt('http://a.example/a', { fetchedAtMs: 1_000 });
  expect([isRecentlyFetched(recent, 601_000), isRecentlyFetched(recent, 601_001)]).toEqual([true, false]);
});

it('choosePagesToRecapture skips pages that a plain fetch could not read', async () => {
  const rendered = pageAt('http://a.example/a', { method: 'browser' });
  const refused = pageAt('http://a.example/b', { verdict: 'blocked', errorCode: 'BLOCKED' });
  const elsewhere = pageAt('http://a.example/c', { isThroughExit: true });
  expect(await choosePagesToRecapture(oneBatch([rendered, refused, elsewhere]))).toEqual([]);
});

async function* oneBatch(pages: readonly PageReading[]): AsyncGenerator<readonly PageReading[]> {
  yield pages;
}
