import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateCoverage, type HistoryCell } from './estimate-coverage.ts';
import { fitLogLinear } from './log-linear.ts';

const TURNS = { isOver: false, next: async () => undefined };
const [LINK, SITEMAP, FEED] = [1, 2, 4];

const cell = (sources: number, pages: number, more: Partial<HistoryCell> = {}): HistoryCell => ({
  section: '/docs',
  depth: 1,
  isKnown: false,
  sources,
  pages,
  read: pages,
  ...more,
});

const estimate = (cells: readonly HistoryCell[]) => estimateCoverage(cells, 4, TURNS);

describe('estimateCoverage', () => {
  it('estimates two independent sources as Lincoln and Petersen do', async () => {
    const { estimate: pages } = await estimate([cell(LINK, 180), cell(SITEMAP, 90), cell(LINK | SITEMAP, 810)]);
    expect(pages?.pages).toBe(1_100);
    expect(pages?.low).toBeGreaterThan(1_080);
    expect(pages?.high).toBeLessThan(1_115);
    expect(pages?.readShare).toBeCloseTo(1_080 / 1_100, 3);
  });

  it('counts pages that were found and not read as pages that are missing from the read share', async () => {
    const cells = [cell(LINK, 180), cell(SITEMAP, 90), cell(LINK | SITEMAP, 810, { read: 405 })];
    expect((await estimate(cells)).estimate?.readShare).toBeCloseTo(675 / 1_100, 3);
  });

  it('estimates each section by its own overlap where the sections differ', async () => {
    const shop = { section: '/shop' };
    const { estimate: site, sections } = await estimate([
      cell(LINK, 10),
      cell(SITEMAP, 10),
      cell(LINK | SITEMAP, 980),
      cell(LINK, 400, shop),
      cell(SITEMAP, 100, shop),
      cell(LINK | SITEMAP, 400, shop),
    ]);
    expect(sections.map(({ section, estimate: of }) => `${section} ${of?.pages}`)).toEqual([
      '/docs 1000',
      '/shop 1000',
    ]);
    expect(Math.abs((site?.pages ?? 0) - 2_000)).toBeLessThanOrEqual(2);
  });

  it('describes sources that list the same pages by a model of their dependence', async () => {
    // Of 1,000 pages links list 700; the sitemap lists 630 of these and 90 of the others; the feed lists half of all, independently.
    const half = (sources: number, pages: number) => [cell(sources, pages / 2), cell(sources | FEED, pages / 2)];
    const { estimate: pages } = await estimate([
      ...half(LINK | SITEMAP, 630),
      ...half(LINK, 70),
      ...half(SITEMAP, 90),
      cell(FEED, 105),
    ]);
    expect(Math.abs((pages?.pages ?? 0) - 1_000)).toBeLessThan(25);
    expect(pages?.low).toBeLessThan(1_000);
    expect(pages?.high).toBeGreaterThan(1_000);
  });

  it.each([
    ['too_few', [cell(LINK, 5), cell(SITEMAP, 5), cell(LINK | SITEMAP, 10)]],
    ['too_few', []],
    ['one_source', [cell(LINK, 500)]],
    ['no_overlap', [cell(LINK, 500), cell(SITEMAP, 300)]],
    ['sources_identical', [cell(LINK | SITEMAP, 500)]],
  ] as const)('has no estimate for the reason %s', async (why, cells) => {
    expect(await estimate(cells)).toMatchObject({ estimate: undefined, why });
  });

  it('has an estimate of a section and none of the site where most pages are in sections without overlap', async () => {
    const {
      estimate: site,
      why,
      sections,
    } = await estimate([
      cell(LINK, 20),
      cell(SITEMAP, 20),
      cell(LINK | SITEMAP, 160),
      cell(LINK, 400, { section: '/blog' }),
    ]);
    expect({ site, why }).toEqual({ site: undefined, why: 'one_source' });
    expect(sections).toMatchObject([
      { section: '/blog', estimate: undefined, why: 'one_source' },
      { section: '/docs', estimate: { pages: expect.any(Number) } },
    ]);
  });

  it('counts small sections that one source lists as found, and estimates the others together', async () => {
    const { sections } = await estimate([
      cell(LINK, 40),
      cell(SITEMAP, 40),
      cell(LINK | SITEMAP, 920),
      cell(LINK, 20, { section: '/a' }),
      cell(SITEMAP, 20, { section: '/b' }),

      cell(LINK, 1, { section: '/c' }),
      cell(SITEMAP, 1, { section: '/c' }),
      cell(LINK | SITEMAP, 18, { section: '/c' }),
    ]);
    expect(sections[1]).toMatchObject({ section: '', found: 60, estimate: undefined, why: 'no_overlap' });
  });

  it('gives an interval that contains the estimate and no fewer pages than were found, for any counts', async () => {
    const cells = fc.array(
      fc.record({
        section: fc.constantFrom('/', '/a', '/b'),
        depth: fc.integer({ min: 0, max: 6 }),
        isKnown: fc.boolean(),
        sources: fc.integer({ min: 0, max: 15 }),
        pages: fc.integer({ min: 0, max: 3_000 }),
        read: fc.constant(0),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(cells, async (counted) => {
        const { found, estimate: site, why, sections } = await estimate(counted);
        expect(site === undefined).toBe(why !== undefined);
        for (const of of [{ found, estimate: site }, ...sections]) {
          if (of.estimate === undefined) continue;
          expect(of.estimate.low).toBeGreaterThanOrEqual(Math.floor(of.found));
          expect(of.estimate.pages).toBeGreaterThanOrEqual(of.estimate.low);
          expect(of.estimate.high).toBeGreaterThanOrEqual(of.estimate.pages);
          expect(Number.isFinite(of.estimate.high)).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('fitLogLinear', () => {
  it('agrees with the closed form of two sources', () => {
    const model = fitLogLinear([0, 180, 90, 810], 2, []);
    expect(model?.unseen).toBeCloseTo((180.5 * 90.5) / 810.5, 4);
    // The variance of the logarithm is the sum of the reciprocals of the cells.
    expect(model?.logVariance).toBeCloseTo(1 / 180.5 + 1 / 90.5 + 1 / 810.5, 6);
  });

  it('agrees with the closed form of three sources of which two are dependent', () => {
    const counts = [0, 60, 40, 300, 30, 90, 45, 400];
    const pairs = [[0, 1]] as const;
    const model = fitLogLinear(counts, 3, pairs);
    // The third source is independent of the pair: the pages that only it lists, times the odds that it misses a page.
    const [missed, both] = [60 + 40 + 300 + 0.75, 90 + 45 + 400 + 0.75];
    expect(model?.unseen).toBeCloseTo((30.25 * missed) / both, 3);
  });
});
