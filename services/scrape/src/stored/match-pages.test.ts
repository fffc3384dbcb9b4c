import { describe, expect, it } from '@jest/globals';
import { pageRow } from '@tidemark/testkit';
import { Unreadable } from '../reader/read-pool.ts';
import type { StoredResult, StoredTask } from '../reader/stored-task.ts';
import { makeMatchPages, type WaitBudget } from './match-pages.ts';

const NAME = 'a'.repeat(64);
const pages = (count: number) =>
  Array.from({ length: count }, (_, i) => pageRow({ id: `cap_${i}`, content: { sha256: NAME, bytes: 1 } }));
const nothing = { count: 0, samples: [], error: '', isPageSpecific: false };
const forEver = { workspaceId: 'wsp_1', remainingMs: () => 60_000, signal: new AbortController().signal };

const matchWith = (runStored: (task: StoredTask, nth: number) => Promise<StoredResult>) => {
  let queryCount = 0;
  return makeMatchPages({ runStored: (task) => runStored(task, queryCount++) });
};

describe('matching many pages', () => {
  it('matches eight pages at a time, so that other calls get their turn', async () => {
    let under = 0;
    let most = 0;
    const match = matchWith(async () => {
      most = Math.max(most, ++under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      return { matched: [nothing] };
    });
    const found = await match({ selectors: ['p'], pages: pages(50), samples: 0 }, forEver);
    expect(found.pages.map(({ pageId }) => pageId)).toEqual(pages(50).map(({ id }) => id));
    expect(most).toBe(8);
  });

  it('are left out where the time is over or the caller has gone before they are reached', async () => {
    const gone = new AbortController();
    const matchedCount = async (budget: WaitBudget, onQuery: (nth: number) => void) => {
      const match = matchWith(async (_, nth) => {
        onQuery(nth);
        return { matched: [nothing] };
      });
      return (await match({ selectors: ['p'], pages: pages(100), samples: 0 }, budget)).pages.length;
    };
    let leftMs = 20;
    expect(await matchedCount({ ...forEver, remainingMs: () => leftMs }, () => (leftMs -= 1))).toBe(19);
    expect(await matchedCount({ ...forEver, signal: gone.signal }, (nth) => nth === 20 && gone.abort())).toBe(20);
  });

  it('are not waited for once the time is over', async () => {
    const match = matchWith((_, nth) =>
      nth === 4 ? new Promise(() => undefined) : Promise.resolve({ matched: [nothing] }),
    );
    const found = await match(
      { selectors: ['p'], pages: pages(20), samples: 0 },
      { ...forEver, remainingMs: () => 50 },
    );
    expect(found.pages).toHaveLength(19);
  });

  it('fails as a whole, without further reads, if the blob store is unavailable', async () => {
    let queryCount = 0;
    const match = matchWith(async (_, nth) => {
      queryCount += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return nth === 9 ? { unreadable: 'the store does not answer', code: 'unavailable' } : { matched: [nothing] };
    });
    await expect(match({ selectors: ['p'], pages: pages(200), samples: 0 }, forEver)).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 2,
    });
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(queryCount).toBeLessThan(40);
  });

  it('reports a page that exceeds a reader limit by itself, and an error that only one page causes on that page', async () => {
    const match = matchWith(async (_, nth) => {
      if (nth === 2) throw new Unreadable('the page took longer than 8000 ms to read');
      const costly = { ...nothing, error: 'too costly for this page', isPageSpecific: true };
      return { matched: [nth === 3 ? costly : { ...nothing, count: nth }] };
    });
    const found = await match({ selectors: ['p'], pages: pages(4), samples: 0 }, forEver);
    expect(found.errors).toEqual({});
    expect(found.pages.map(({ hasHtml, error }) => ({ hasHtml, error }))).toEqual([
      { hasHtml: true, error: undefined },
      { hasHtml: false, error: 'the page took longer than 8000 ms to read' },
      { hasHtml: true, error: '"p": too costly for this page' },
      { hasHtml: true, error: undefined },
    ]);
  });
});
