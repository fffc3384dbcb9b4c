import { describe, expect, it } from '@jest/globals';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { blocksOf, readingOf, type SitePage } from '../../../test/fixtures/site-pages.ts';
import { comparePages } from '../../comparison/compare-pages.ts';
import type { PageReading } from '../../domain/page-reading.ts';
import { type RecaptureRoundsDeps, recaptureRounds } from './recapture-rounds.ts';

const GAP_MS = 10_000;

/** A site whose pages show a text by time, read on a clock that only fetches and waits advance. */
function siteWith(textAt: (url: string, nowMs: number) => string, fetchMs = 200) {
  let nowMs = 0;
  const fetches: { readonly url: string; readonly atMs: number }[] = [];
  const pageAt = (url: string): SitePage => ({ blocks: [textAt(url, nowMs)], reading: { fetchedAtMs: 0 } });
  const firstContents = new Map<string, PageBlocks>();
  const first = (url: string): PageReading => {
    const page = pageAt(url);
    firstContents.set(url, blocksOf(page));
    return readingOf('run_1', url, page);
  };
  const deps: RecaptureRoundsDeps = {
    recapturePage: async (url) => {
      nowMs += fetchMs;
      fetches.push({ url, atMs: nowMs });
      const page = pageAt(url);
      const content = { blocks: PageBlocks.encode(blocksOf(page)).finish(), fieldsJson: '{}' };
      return { reading: readingOf('recapture', url, page), content };
    },
    loadContent: async ({ url }) => ({ blocks: firstContents.get(url) ?? blocksOf({}), fields: {} }),
    compare: async (before, after) => comparePages(before, after, { deadlineMs: 5_000 }),
    wait: async (ms) => {
      nowMs += ms;
    },
    nowMs: () => nowMs,
    gapMs: GAP_MS,
    timeoutMs: 180_000,
  };
  return { deps, fetches, first };
}

const urls = (count: number): string[] => Array.from({ length: count }, (_, at) => `http://a.example/p/${at}`);

describe('recaptureRounds', () => {
  it('reads a page that differs three times, with the gap between two readings of it', async () => {
    const { deps, fetches, first } = siteWith((_, nowMs) => `The time is ${nowMs}`);
    const samples = await recaptureRounds(deps, urls(5).map(first));
    expect(samples.map(({ differences }) => differences.map(({ blocks }) => blocks.length))).toEqual(
      Array.from({ length: 5 }, () => [1, 1, 1]),
    );
    for (const ofPage of Map.groupBy(fetches, ({ url }) => url).values()) {
      const gaps = ofPage.slice(1).map(({ atMs }, at) => atMs - (ofPage[at]?.atMs ?? 0));
      for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(GAP_MS);
      expect(gaps).toHaveLength(2);
    }
  });

  it('reads a page that does not differ only twice', async () => {
    const { deps, fetches, first } = siteWith(() => 'A text that stays');
    const samples = await recaptureRounds(deps, urls(3).map(first));
    expect(samples.map(({ differences }) => differences.length)).toEqual([2, 2, 2]);
    expect(fetches).toHaveLength(6);
  });

  it('keeps the recaptures of a page close to each other on a site that is fetched slowly', async () => {
    const { deps, fetches, first } = siteWith((_, nowMs) => `The time is ${nowMs}`, 9_000);
    await recaptureRounds(deps, urls(50).map(first));
    for (const ofPage of Map.groupBy(fetches, ({ url }) => url).values())
      expect((ofPage.at(-1)?.atMs ?? 0) - (ofPage[0]?.atMs ?? 0)).toBeLessThanOrEqual(60_000);
  });

  it('ends at its time limit and leaves out pages that were not read in full', async () => {
    const { deps, fetches, first } = siteWith((_, nowMs) => `The time is ${nowMs}`, 15_000);
    const samples = await recaptureRounds(deps, urls(50).map(first));
    expect(fetches.length).toBeLessThan(20);
    expect(samples.length).toBeGreaterThan(0);
    for (const { differences } of samples) expect(differences).toHaveLength(3);
  });

  it('leaves out a page with an inconclusive recapture', async () => {
    const { deps, first } = siteWith((_, nowMs) => `The time is ${nowMs}`);
    const [broken = '', ...others] = urls(3);
    const recapturePage: RecaptureRoundsDeps['recapturePage'] = async (url) =>
      url === broken ? undefined : deps.recapturePage(url);
    const samples = await recaptureRounds({ ...deps, recapturePage }, [broken, ...others].map(first));
    expect(samples.map(({ pageKey }) => pageKey)).toEqual(['a.example/p/1', 'a.example/p/2']);
  });
});
