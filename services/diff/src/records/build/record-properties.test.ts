import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MemoryProject, type RunOptions } from '../../../test/fixtures/memory-project.ts';
import type { SitePage, SitePages } from '../../../test/fixtures/site-pages.ts';
import { pageKey } from '../../domain/page-key.ts';

const WORDS = ['bees', 'cats', 'dogs', 'elks'];
const prose = (word: string): string[] =>
  Array.from({ length: 12 }, (_, at) => `${word} line ${at} of a text about ${word}`);

const refusal = (verdict: string, errorCode: string, httpStatus: number): SitePage => ({
  reading: { verdict, errorCode, httpStatus, words: 0 },
});

const anyPage: fc.Arbitrary<SitePage> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS).map((word): SitePage => ({ blocks: prose(word) })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      refusal('blocked', 'NOT_FOUND', 404),
      refusal('blocked', 'NOT_FOUND', 200),
      refusal('blocked', 'CAPTCHA', 403),
      refusal('robots', 'OK', 0),
      refusal('skipped', 'OK', 200),
    ),
  },
);

const anySite: fc.Arbitrary<SitePages> = fc
  .uniqueArray(fc.nat({ max: 14 }), { maxLength: 12 })
  .chain((names) =>
    fc.tuple(...names.map((name) => anyPage.map((page) => [`http://a.example/p/${name}`, page] as const))),
  )
  .map((pages) => Object.fromEntries(pages));

const anyHow: fc.Arbitrary<RunOptions> = fc.record({
  run: fc.record({
    status: fc.constantFrom('done', 'done', 'done', 'cancelled', 'error'),
    stop: fc.constantFrom('finished', 'finished', 'page_limit', 'login_dead'),
    isSeedRead: fc.boolean(),
  }),
  verifiable: anySite,
});

const anyHistory = fc.array(fc.record({ pages: anySite, how: anyHow }), { minLength: 1, maxLength: 5 });

/**
 * Keys of pages that count: readable before and not reported as removed, or reached now. Computed without the outcome
 * table.
 */
function keysThatCount(project: MemoryProject, pages: SitePages): Set<string> {
  const before = [...project.known.values()]
    .filter(({ lastGood }) => lastGood !== undefined)
    .map((page) => page.pageKey);
  const now = Object.entries(pages).flatMap(([url, { reading }]) => {
    const { verdict = 'ok', errorCode = 'OK' } = reading ?? {};
    return verdict === 'robots' || errorCode === 'NOT_FOUND' ? [] : [pageKey(url)];
  });
  return new Set([...before, ...now]);
}

/** Whether the site served one generic page: its pages then do not count. */
const isFlooded = (reasons: readonly string[]): boolean => reasons.includes('host_fingerprint_changed');

describe('buildRecord for random histories of a site', () => {
  it('gives every page key exactly one outcome and counts a moved page once', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const project = new MemoryProject();
        for (const { pages, how } of history) {
          const keys = keysThatCount(project, pages);
          const { head, entries } = await project.run(pages, how);
          const { added, removed, modified, same, withheld, unverified, skipped } = head.counts;
          const sum = added + removed + modified + same + withheld + unverified + skipped;
          if (!isFlooded(head.coverage.reasons)) expect(sum).toBe(keys.size - head.moved);
          expect(head.entries).toBe(entries.length);
          expect(head.coverage.read).toBeLessThanOrEqual(head.coverage.known);
          expect(head.coverage.read + head.coverage.unread).toBeLessThanOrEqual(head.coverage.known);
        }
      }),
      { numRuns: 120 },
    );
  });

  it('gives every entry a unique id and something to show', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const project = new MemoryProject();
        const ids: string[] = [];
        for (const { pages, how } of history) {
          const { entries } = await project.run(pages, how);
          ids.push(...entries.map(({ id }) => id));
          for (const { kind, blocks, fields } of entries)
            if (kind === 'modified' || kind === 'template') expect(blocks.length + fields.length).toBeGreaterThan(0);
        }
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: 50 },
    );
  });

  it('gives byte-identical records for any order of pages', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, anySite, anyHow, async (history, pages, how) => {
        const [one, two] = [new MemoryProject(), new MemoryProject()];
        for (const run of history) {
          await one.run(run.pages, run.how);
          await two.run(run.pages, run.how);
        }
        const turned = Object.fromEntries(Object.entries(pages).toReversed());
        const [a, b] = [await one.run(pages, how), await two.run(turned, how)];
        expect(JSON.stringify([b.head, b.entries, b.aliases])).toBe(JSON.stringify([a.head, a.entries, a.aliases]));
        expect([...two.known].sort()).toEqual([...one.known].sort());
      }),
      { numRuns: 50 },
    );
  });

  it('reports no change when a run reached nothing, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const project = new MemoryProject();
        for (const { pages, how } of history) await project.run(pages, how);
        const { head } = await project.run({}, { run: { stop: 'page_limit' } });
        expect(head.counts.removed + head.counts.added + head.counts.modified).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});
