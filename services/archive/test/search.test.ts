import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FoundPage } from '@tidemark/contracts/archive/v1/archive';
import { type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { type FakeScrape, startFakeScrape } from './fake-scrape.ts';
import { layRunGround, type MadePage, newRunOf, type ProjectRun, type RunGround } from './run-ground.ts';

let ground: RunGround;
let scrape: FakeScrape;
let service: RunningService;
beforeAll(async () => {
  ground = await layRunGround(() => service.peer);
  scrape = ground.own(await startFakeScrape(ground.blobs));
  service = ground.own(await startService(archive, { ...ground.env, SCRAPE_ADDR: scrape.address }));
}, 120_000);
afterAll(() => ground.close());

const said = (markdown: string, at: number): MadePage => ({ url: `https://example.com/${at}`, markdown });
const urlsOf = (pages: readonly FoundPage[]) => pages.map(({ page }) => page?.page?.row?.url);

/** All that a search finds, asking as often as it takes. */
async function all(run: ProjectRun, q: string, mode = 'content', limit = 100) {
  const pages: FoundPage[] = [];
  let scanned = 0;
  for (let after = 0, isMore = true; isMore; ) {
    const answer = await ground.search(run, q, { mode, after, limit });
    pages.push(...answer.pages);
    scanned += answer.scanned;
    ({ last: after, isMore } = answer);
  }
  return { pages, scanned };
}

describe('a search for words', () => {
  it('finds every page that says them, how often and where, and counts those it can say nothing of', async () => {
    const run = newRunOf();
    await ground.whole(run, [
      said('The spring tide comes. Another Spring\ntide.', 1),
      said('spring, and much later a tide', 2),
      { url: 'https://example.com/3' },
      said('neap', 4),
    ]);
    const answer = await ground.search(run, '"spring tide"');
    expect(urlsOf(answer.pages)).toEqual(['https://example.com/1']);
    expect(answer).toMatchObject({ scanned: 4, withoutBody: 1, total: 4, isMore: false });
    expect(answer.pages[0]?.matches).toBe(2);
    const [excerpt] = answer.pages[0]?.excerpts ?? [];
    expect(excerpt?.text.slice(excerpt.marks[0], excerpt.marks[1])).toBe('spring tide');
    expect(urlsOf((await ground.search(run, 'tide spring')).pages)).toHaveLength(2);
    expect(urlsOf((await ground.search(run, 'tide -much')).pages)).toEqual(['https://example.com/1']);
    expect(urlsOf((await ground.search(run, '-tide')).pages)).toEqual(['https://example.com/4']);
  });

  it('finds each page once, however it is cut', async () => {
    const run = newRunOf();
    const pages = Array.from({ length: 300 }, (_, i) => said(`${i % 3 === 0 ? 'ebb' : 'flow'} number${i}`, i));
    await ground.whole(run, pages);
    for (const limit of [1, 7, 1_000]) {
      const { pages: found, scanned } = await all(run, 'ebb', 'content', limit);
      expect(urlsOf(found)).toEqual(pages.filter((_, i) => i % 3 === 0).map(({ url }) => url));
      expect(scanned).toBe(300);
    }
    expect(urlsOf((await ground.search(run, 'number299')).pages)).toEqual(['https://example.com/299']);
  });

  it('misses nothing of a run that goes on, whose words are not sketched yet', async () => {
    const run = newRunOf();
    await ground.read(run, [said('ebb', 1), said('flow', 2)]);
    const answer = await until('both pages to be listed', async () => {
      const found = await ground.search(run, 'flow');
      return found.total === 2 && found;
    });
    expect(urlsOf(answer.pages)).toEqual(['https://example.com/2']);
    expect(answer).toMatchObject({ isMore: true, last: 2 });
  });

  it('for nothing, or in a way there is none of, is refused', async () => {
    const run = newRunOf();
    await ground.whole(run, [said('ebb', 1)]);
    await expect(ground.search(run, ' - ')).rejects.toMatchObject({
      code: 'validation',
      detail: [{ loc: ['body', 'q'] }],
    });
    await expect(ground.search(run, 'ebb', { mode: 'regex' })).rejects.toMatchObject({
      detail: [{ loc: ['body', 'mode'] }],
    });
  });
});

describe('a search for what a selector names', () => {
  it('has html read where pages are read, piece by piece, and finds each page once, however it is cut', async () => {
    const run = newRunOf();
    const pages = Array.from({ length: 60 }, (_, i) => ({
      url: `https://example.com/${i}`,
      ...(i % 4 === 3 ? {} : { rawHtml: i % 4 === 0 ? `<h2>tide ${i}</h2><h2>again</h2>` : '<p>nothing</p>' }),
    }));
    await ground.whole(run, pages);
    const wanted = pages.filter((_, i) => i % 4 === 0).map(({ url }) => url);
    for (const limit of [1, 4, 100]) {
      const { pages: found, scanned } = await all(run, 'h2', 'selector', limit);
      expect(urlsOf(found)).toEqual(wanted);
      expect(scanned).toBe(60);
    }
    const answer = await ground.search(run, 'h2', { mode: 'selector', limit: 1 });
    expect(answer).toMatchObject({ withoutBody: 15, total: 60, isMore: true });
    expect(answer.pages[0]).toMatchObject({ matches: 2, excerpts: [{ text: 'tide 0', marks: [] }, { text: 'again' }] });
    expect(Math.max(...scrape.asked.map((request) => request.pages.length))).toBeLessThanOrEqual(8);
  });

  it('begins anew at a page that was not reached in time, and passes by one that is more than a reader can bear', async () => {
    const run = newRunOf();
    const pages = Array.from({ length: 20 }, (_, i) => ({
      url: `https://reached.example/${i}`,
      rawHtml: `<h3>tide ${i}</h3>`,
    }));
    await ground.whole(run, pages);
    const wanted = pages.map(({ url }) => url);
    const ask = (after: number) => ground.search(run, 'h3', { mode: 'selector', after });
    scrape.late.add('https://reached.example/5').add('https://reached.example/0');
    scrape.unbearable.add('https://reached.example/3');
    await expect(ask(0)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    scrape.late.delete('https://reached.example/0');
    const first = await ask(0);
    expect(urlsOf(first.pages)).toEqual(wanted.slice(0, 5).filter((_, i) => i !== 3));
    expect(first).toMatchObject({ last: 5, scanned: 5, isMore: true });
    scrape.late.clear();
    const rest = await ask(first.last);
    expect(urlsOf(rest.pages)).toEqual(wanted.slice(5));
    expect(rest).toMatchObject({ scanned: 15, isMore: false });
  });

  it('that can not be used is refused with the reason, also where there is no page to try it on', async () => {
    const run = newRunOf();
    await ground.whole(run, [said('no html', 1)]);
    const asked = ground.search(run, 'h2[', { mode: 'selector' });
    await expect(asked).rejects.toMatchObject({
      code: 'validation',
      detail: [{ msg: 'expected the name of an element' }],
    });
  });
});
