import { afterEach, describe, expect, it } from '@jest/globals';
import { MarkupPool, type MarkupPoolOptions } from './markup-pool.ts';

const opened: MarkupPool[] = [];
afterEach(async () => {
  for (const pool of opened.splice(0)) await pool.close();
});
function poolOf(options: MarkupPoolOptions): MarkupPool {
  const pool = new MarkupPool(options);
  opened.push(pool);
  return pool;
}

/** Far more work than the limit allows: tens of thousands of distinct elements. */
const list = (word: string): string => Array.from({ length: 20_000 }, (_, i) => `<p>${word}${i}`).join('');

describe('MarkupPool', () => {
  it('returns the same result as compareMarkup and suggestSelector', async () => {
    const pool = poolOf({ threads: 1 });
    expect(await pool.compare('<p>one', '<p>two')).toMatchObject({
      ops: [{ op: 'text', before: 'one', after: 'two' }],
    });
    const [before, after] = ['<p class="old">Some words of text', '<p class="new">Some words of text'];
    expect(await pool.suggest([before], [after], '.old')).toMatchObject({ selector: '.new', pagesChecked: 1 });
  });

  it('reports out_of_time for a task above the time limit and runs the next', async () => {
    const pool = poolOf({ threads: 1, timeoutMs: 1, maxWaitMs: 60_000 });
    const hanging = await pool.compare(list('a'), list('b'));
    expect(hanging).toMatchObject({ degraded: 'out_of_time', ops: [] });
    const unlimited = poolOf({ threads: 1 });
    expect(await unlimited.compare('<p>one', '<p>one')).toMatchObject({ ops: [] });
  });

  it('reports out_of_time when no thread is free in time or the queue is full', async () => {
    const pool = poolOf({ threads: 1, maxWaitMs: 1, maxWaiting: 1 });
    const results = await Promise.all([pool.compare('<p>a', '<p>b'), pool.compare('<p>a', '<p>b')]);
    expect(results.map(({ degraded }) => degraded)).toContain('out_of_time');
  });

  it('reports out_of_time for queued tasks on close', async () => {
    const pool = new MarkupPool({ threads: 1 });
    const waiting = pool.compare('<p>a', '<p>b');
    await pool.close();
    expect(await waiting).toMatchObject({ degraded: 'out_of_time' });
    expect(await pool.compare('<p>a', '<p>b')).toMatchObject({ degraded: 'out_of_time' });
  });
});
