import { afterEach, describe, expect, it } from '@jest/globals';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import type { ReadTask } from '@tidemark/page-reader';
import { USUAL_CONTENT } from '@tidemark/page-reader';
import { ReadPool, type ReadPoolOptions } from './read-pool.ts';

const opened: ReadPool[] = [];
afterEach(async () => {
  for (const pool of opened.splice(0)) await pool.close();
});
function poolOf(options: ReadPoolOptions): ReadPool {
  const pool = new ReadPool(options);
  opened.push(pool);
  return pool;
}

const page = (html: string, more: Partial<ReadTask> = {}): ReadTask => ({
  body: Buffer.from(html),
  contentType: 'text/html; charset=utf-8',
  status: 200,
  headers: {},
  requestedUrl: 'https://example.com/',
  landedUrl: 'https://example.com/',
  rendered: false,
  languages: [],
  content: USUAL_CONTENT,
  parseDocuments: true,
  output: 'bodies',
  minWords: 0,
  formats: ['markdown'],
  ...more,
});
const ordinary = (name: string): ReadTask => page(`<main><h1>${name}</h1><p>${'word '.repeat(100)}</p></main>`);
const stored = { priority: 'stored', workspaceId: '' } as const;
const markdownOf = (result: { bodies: Uint8Array }): string => PageBodies.decode(result.bodies).markdown ?? '';
/** A page that is read on the thread for large pages, in little time. */
const padded = (name: string): ReadTask => page(`<h1>${name}</h1>${'word '.repeat(100)}<!--${'x'.repeat(600_000)}-->`);
/** A page that takes several hundred times as long as a real one. */
const enormous = (paragraphs = 300_000): ReadTask =>
  page(`<main>${'<p>word <b>and</b> word</p>'.repeat(paragraphs)}</main>`);
/** Limit of CPU time in tests, ms: several times what a new thread takes for an ordinary page. */
const DEADLINE_MS = 800;

describe('ReadPool', () => {
  it('reads each page independently of concurrent ones', async () => {
    const pool = poolOf({ threads: 2 });
    const names = Array.from({ length: 20 }, (_, i) => `Page ${i}`);
    const results = await Promise.all(names.map((name) => pool.read(ordinary(name))));
    for (const [i, result] of results.entries()) {
      expect(markdownOf(result)).toContain(`# ${names[i]}\n`);
      expect(result.classification).toMatchObject({ verdict: 'ok', errorCode: 'OK' });
    }
  });

  it('rejects a page that takes too long and reads the next one', async () => {
    const pool = poolOf({ threads: 1, pageDeadlineMs: DEADLINE_MS });
    await pool.read(ordinary('warm'));
    const [hanging, next] = await Promise.allSettled([pool.read(enormous()), pool.read(ordinary('Next'))]);
    expect(hanging).toMatchObject({ status: 'rejected', reason: { name: 'Unreadable' } });
    expect(Reflect.get(hanging, 'reason').message).toMatch(/took longer than 800 ms|exhausted/);
    expect(next.status === 'fulfilled' && markdownOf(next.value)).toContain('# Next');
  });

  it('loses one thread to a page that exhausts its memory, and nothing else', async () => {
    const pool = poolOf({ threads: 2, heapMb: 48, pageDeadlineMs: 30_000 });
    const [glutton, ...others] = await Promise.allSettled([
      pool.read(enormous(700_000)),
      ...Array.from({ length: 6 }, (_, i) => pool.read(ordinary(`Other ${i}`))),
    ]);
    expect(glutton).toMatchObject({ status: 'rejected', reason: { name: 'Unreadable' } });
    expect(Reflect.get(glutton ?? {}, 'reason').message).toContain('exhausted its reader');
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
    expect(markdownOf(await pool.read(ordinary('After')))).toContain('# After');
  });

  it('reads a small page of one workspace while large pages of another wait', async () => {
    const pool = poolOf({ threads: 1 });
    await pool.read(ordinary('warm'));
    const large = page(`<main>${'<p>word <a href="/a">and</a> word</p>'.repeat(20_000)}</main>`);
    const ended: string[] = [];
    const larges = Array.from({ length: 3 }, async () => {
      await pool.read(large, 'interactive', 'heavy');
      ended.push('large');
    });
    const smalls = Array.from({ length: 6 }, async (_, at) => {
      await pool.read(ordinary(`Small ${at}`), 'interactive', 'light');
      ended.push('small');
    });
    await Promise.all([...larges, ...smalls]);
    expect(ended.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => 'small'));
  });

  it('serves interactive pages first, without starving the others', async () => {
    const pool = poolOf({ threads: 1 });
    await pool.read(ordinary('warm'));
    const order: string[] = [];
    const reading = (name: string, priority: 'interactive' | 'batch' | 'run') =>
      pool.read(ordinary(name), priority).then(() => order.push(priority));
    await Promise.all([
      ...Array.from({ length: 6 }, (_, i) => reading(`run ${i}`, 'run')),
      ...Array.from({ length: 6 }, (_, i) => reading(`batch ${i}`, 'batch')),
      ...Array.from({ length: 12 }, (_, i) => reading(`now ${i}`, 'interactive')),
    ]);
    // The first was dispatched before the others arrived; then by priority, except every eighth.
    expect(order.slice(1).filter((priority) => priority === 'interactive').length).toBe(12);
    expect(order.lastIndexOf('interactive')).toBeLessThan(order.lastIndexOf('batch'));
    expect(order.lastIndexOf('batch')).toBeLessThan(order.lastIndexOf('run'));
    expect(order.slice(1, 9)).toContain('run');
  });

  it('runs stored tasks after interactive pages and before batches and runs', async () => {
    const pool = poolOf({ threads: 1 });
    await pool.read(ordinary('warm'));
    const order: string[] = [];
    const query = { sha256: undefined, query: { selectors: ['p['], samples: 0 } };
    const requested = async () => {
      expect(await pool.runStored(query, stored)).toMatchObject({ matched: [{ error: 'not a CSS selector' }] });
      order.push('stored');
    };
    const reading = (priority: 'interactive' | 'batch') =>
      pool.read(ordinary(priority), priority).then(() => order.push(priority));
    const batch = Array.from({ length: 6 }, () => reading('batch'));
    await Promise.all([...batch, requested(), requested(), reading('interactive')]);
    // All but every eighth, which has the lowest priority.
    expect(order.indexOf('interactive')).toBeLessThan(order.indexOf('stored'));
    expect(order.lastIndexOf('stored')).toBeLessThan(order.lastIndexOf('batch'));
  });

  it('drops a task whose caller has disconnected', async () => {
    const pool = poolOf({ threads: 1, pageDeadlineMs: DEADLINE_MS });
    await pool.read(ordinary('warm'));
    const [hanging, behind] = [pool.read(enormous()), pool.read(padded('behind'))];
    const gone = new AbortController();
    const query = { sha256: undefined, bytes: 1_000_000, query: { selectors: ['p'], samples: 0 } };
    const [left, stays] = [pool.runStored(query, { ...stored, signal: gone.signal }), pool.runStored(query, stored)];
    gone.abort();
    await expect(hanging).rejects.toMatchObject({ name: 'Unreadable' });
    await expect(left).rejects.toMatchObject({ code: 'unavailable' });
    expect(await stays).toMatchObject({ matched: [{ count: 0 }] });
    await behind;
  });

  it('ends a stored task that takes too long and continues with the next', async () => {
    const pool = poolOf({ threads: 1, pageDeadlineMs: DEADLINE_MS });
    await pool.read(ordinary('warm'));
    const hanging = pool.read(enormous());
    const query = pool.runStored(
      { sha256: undefined, bytes: 1_000_000, query: { selectors: ['p'], samples: 0 } },
      stored,
    );
    await expect(hanging).rejects.toMatchObject({ name: 'Unreadable' });
    expect(await query).toMatchObject({ matched: [{ count: 0, error: '' }] });
  });

  it('continues with pages of a run that were dispatched behind one that ended its thread', async () => {
    const pool = poolOf({ threads: 1, pageDeadlineMs: DEADLINE_MS });
    await pool.read(ordinary('warm'));
    const [hanging, ...behind] = await Promise.allSettled([
      pool.read(enormous(), 'run'),
      ...Array.from({ length: 4 }, (_, i) => pool.read(padded(`Behind ${i}`), 'run')),
    ]);
    expect(hanging).toMatchObject({ status: 'rejected', reason: { name: 'Unreadable' } });
    expect(behind.map((each) => each.status === 'fulfilled' && markdownOf(each.value))).toEqual(
      behind.map((_, i) => expect.stringContaining(`# Behind ${i}`)),
    );
  });

  it('returns a result for bytes that are not a page', async () => {
    const pool = poolOf({ threads: 1 });
    for (const body of [Buffer.alloc(0), Buffer.from([0, 255, 254, 0, 1, 2, 3]), Buffer.from('<'.repeat(10_000))])
      expect(await pool.read(page('', { body }))).toMatchObject({ classification: { verdict: expect.any(String) } });
  });
});
