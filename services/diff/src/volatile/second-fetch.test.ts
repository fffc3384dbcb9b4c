import { expect, it } from '@jest/globals';
import { comparePages } from '../compare/compare-pages.ts';
import { MemoryProject } from '../record/fixtures/memory-site.ts';
import { blocksOf, type SitePage, type SitePages } from '../record/fixtures/site-pages.ts';
import { learnFromSecondFetches, pagesToFetchTwice } from './second-fetch.ts';
import { sketchAnchors } from './templates.ts';

const featured = (what: string): SitePage => ({
  blocks: ['A text that stays', { text: `Featured today: ${what}`, anchor: 'main>aside>p' }],
});
const URL_A = 'http://a.example/p/a';
const site = (what: string): SitePages => ({ [URL_A]: featured(what) });

it('what differs between two fetches of a page is set aside from the next run on', async () => {
  const project = new MemoryProject();
  await project.run(site('bees'));
  const [first, second] = [blocksOf(featured('bees')), blocksOf(featured('wasps and hornets'))];
  const fetched = {
    pageKey: 'a.example/p/a',
    anchors: sketchAnchors(second),
    delta: comparePages(first, second, { deadlineMs: 5_000 }),
  };
  const { anchors, templates } = learnFromSecondFetches({ anchors: [], templates: [] }, [fetched]);
  expect(anchors.map(({ volatileBy }) => volatileBy)).toContain('double_fetch');
  project.anchors = new Map(anchors.map((state) => [state.anchor, state]));
  project.templates = [...templates];
  const { head, entries } = await project.run(site('some other animals'));
  expect(head.counts).toMatchObject({ same: 1, modified: 0 });
  expect(entries).toEqual([]);
});

it('fetches a few pages of each folder twice, and never many', () => {
  const keys = Array.from({ length: 2_000 }, (_, at) => `a.example/folder${at % 100}/page${at}`).sort();
  const chosen = pagesToFetchTwice(keys);
  expect(chosen).toHaveLength(50);
  expect(chosen.filter((key) => key.startsWith('a.example/folder0/'))).toHaveLength(5);
});
