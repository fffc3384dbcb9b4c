import { expect, it } from '@jest/globals';
import { comparePages } from '../compare/compare-pages.ts';
import type { PageReading } from '../domain/page-reading.ts';
import { blocksOf, readingOf, type SitePage, type SitePages } from '../fixtures/site-pages.ts';
import { choosePagesToRecapture, isRecentlyFetched, learnFromRecaptures } from '../volatility/recapture-sample.ts';
import { sketchAnchors } from '../volatility/templates.ts';
import { MemoryProject } from './fixtures/memory-project.ts';

const featured = (what: string): SitePage => ({
  blocks: ['A text that stays', { text: `Featured today: ${what}`, anchor: 'main>aside>p' }],
});
const URL_A = 'http://a.example/p/a';
const site = (what: string): SitePages => ({ [URL_A]: featured(what) });

it('learnFromRecaptures marks blocks that differ between two captures, and the next record ignores them', async () => {
  const project = new MemoryProject();
  await project.run(site('bees'));
  const [first, second] = [blocksOf(featured('bees')), blocksOf(featured('wasps and hornets'))];
  const fetched = {
    pageKey: 'a.example/p/a',
    anchors: sketchAnchors(second),
    delta: comparePages(first, second, { deadlineMs: 5_000 }),
  };
  const { anchors, templates } = learnFromRecaptures({ anchors: [], templates: [] }, [fetched]);
  expect(anchors.map(({ volatileBy }) => volatileBy)).toContain('recapture');
  project.anchors = new Map(anchors.map((state) => [state.anchor, state]));
  project.templates = [...templates];
  const { head, entries } = await project.run(site('some other animals'));
  expect(head.counts).toMatchObject({ same: 1, modified: 0 });
  expect(entries).toEqual([]);
});

const pageAt = (url: string, more: Partial<PageReading> = {}): PageReading => ({
  ...readingOf('run_1', url, featured('bees')),
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
  const page = pageAt('http://a.example/a', { fetchedAtMs: 1_000 });
  expect([isRecentlyFetched(page, 601_000), isRecentlyFetched(page, 601_001)]).toEqual([true, false]);
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
