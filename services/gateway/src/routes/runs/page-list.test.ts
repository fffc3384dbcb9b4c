import { describe, expect, it } from '@jest/globals';
import { Run, RunPage } from '@tidemark/contracts/crawl/v1/crawl';
import { Page } from '@tidemark/contracts/page/v1/page';
import type { CrawledPage } from '../crawl/run-reader.ts';
import { pageLinks } from '../scrape/page-row.ts';
import type { PageFilter } from './page-filter.ts';
import { listPages, type PageSource } from './page-list.ts';

const run = Run.fromPartial({ id: 'run_1', status: 'done' });
const links = pageLinks('https://tidemark.example/v1', run.id, 'crawl');

const pageOf = (number: number, row: object = {}, known: object = {}): CrawledPage => ({
  page: Page.fromPartial({
    row: {
      id: `cap_${number}`,
      url: `https://example.com/${number}`,
      verdict: 'ok',
      errorCode: 'OK',
      httpStatus: 200,
      ...row,
    },
  }),
  known: RunPage.fromPartial({ pageId: `cap_${number}`, number, inLinks: 1, orphan: false, unlisted: false, ...known }),
});

/** A run of so many pages, and how often it was asked for some. */
function sourceOf(pages: readonly CrawledPage[], isOver = true): PageSource & { asked: number } {
  const source = {
    asked: 0,
    async pages(_: Run, { after, limit }: { after: number; limit: number }) {
      source.asked += 1;
      const rest = pages.filter(({ known }) => known.number > after);
      const shown = rest.slice(0, limit);
      return { pages: shown, last: shown.at(-1)?.known.number ?? after, isMore: !isOver || rest.length > limit };
    },
    withBodies: async (_: Run, wanted: readonly CrawledPage[]) => [...wanted],
  };
  return source;
}

const list = (source: PageSource, filter: PageFilter, after = 0, limit = 10) =>
  listPages(source, { run, slice: { after, limit }, filter, links }, { requestId: 'req' });

const numbers = async (source: PageSource, filter: PageFilter): Promise<number[]> => {
  const got: number[] = [];
  for (let after = 0, isMore = true; isMore; ) {
    const found = await list(source, filter, after);
    got.push(...found.rows.map(({ id }) => Number(id.slice('cap_'.length))));
    expect(found.last > after || !found.isMore).toBe(true);
    ({ last: after, isMore } = found);
  }
  return got;
};

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe('a list of pages', () => {
  it('walked by its cursor shows every page once', async () => {
    expect(await numbers(sourceOf(range(25).map((n) => pageOf(n))), {})).toEqual(range(25));
  });

  it('of one verdict shows each page of it once, however they lie among the others', async () => {
    const pages = range(95).map((n) => pageOf(n, { verdict: n % 3 === 0 ? 'thin' : 'ok' }));
    expect(await numbers(sourceOf(pages), { v: 'thin' })).toEqual(range(95).filter((n) => n % 3 === 0));
  });

  it('looks at a bounded number of pages for rare ones, and goes on from there', async () => {
    const pages = range(7_000).map((n) => pageOf(n, { verdict: n === 6_999 ? 'blocked' : 'ok' }));
    const source = sourceOf(pages);
    expect(await list(source, { v: 'blocked' })).toMatchObject({ rows: [], last: 3_000, isMore: true });
    expect(source.asked).toBe(3);
    expect(await numbers(source, { v: 'blocked' })).toEqual([6_999]);
  });

  it('of a run that goes on has more to come', async () => {
    expect(await list(sourceOf([pageOf(1)], false), { v: 'ok' })).toMatchObject({ last: 1, isMore: true });
  });

  it('with a flag shows what is in that set of the link graph', async () => {
    const pages = [
      pageOf(1, {}, { inLinks: 0, orphan: true }),
      pageOf(2, {}, { unlisted: true }),
      pageOf(3, { verdict: 'blocked', httpStatus: 404 }, { unlisted: true }),
      pageOf(4, { verdict: 'robots', httpStatus: 0 }),
      pageOf(5, { verdict: 'blocked', httpStatus: 0 }),
      pageOf(6, { verdict: 'blocked', httpStatus: 404 }, { inLinks: 0 }),
      pageOf(7, {}, { inLinks: undefined, orphan: undefined, unlisted: undefined }),
    ];
    expect(await numbers(sourceOf(pages), { flag: 'orphan' })).toEqual([1]);
    expect(await numbers(sourceOf(pages), { flag: 'unlisted' })).toEqual([2]);
    expect(await numbers(sourceOf(pages), { flag: 'dead_end' })).toEqual([3, 5]);
    expect(await numbers(sourceOf(pages), { flag: 'dead_end', v: 'ok' })).toEqual([]);
  });
});
