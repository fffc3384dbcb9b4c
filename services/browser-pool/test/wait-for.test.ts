import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const after = (ms: number, code: string): string => `<script>setTimeout(() => { ${code} }, ${ms})</script>`;

let site: TestSite;
let pool: TestPool;

beforeAll(async () => {
  site = await serveSite({
    '/plain': TEXT,
    '/late': `${TEXT}<div id=late hidden>Here at last</div>${after(2_500, 'late.hidden = false')}`,
    '/hidden': `${TEXT}<div id=never style="visibility:hidden">never</div><div class=never style="height:0;overflow:hidden">x</div>`,
    '/navigates': `${TEXT}${after(1_500, "location.href = '/arrived'")}`,
    '/arrived': `${TEXT}<b id=goal>arrived</b>`,
    '/later': `${TEXT}<i id=i></i>${after(2_000, "i.textContent = 'grown'")}`,
    '/slow-image': `${TEXT}<i id=i></i>${after(10, "fetch('/answers-late', { priority: 'low' }).then(() => { i.textContent = 'fetched'; })")}`,
    '/chain': `${TEXT}<i id=i></i><script>
      (async () => { for (let n = 1; n < 5; n++) { await new Promise((r) => setTimeout(r, 350)); await fetch('/step-' + n); i.textContent = 'step ' + n; } })()</script>`,
    ...Object.fromEntries(
      [1, 2, 3, 4].map((n) => [`/step-${n}`, (_: unknown, response: { end(text: string): void }) => response.end('')]),
    ),
    '/answers-late': (_, response) => void setTimeout(() => response.end('{}'), 4_000),
    '/stream': `${TEXT}<script>new EventSource('/events'); setInterval(() => fetch('/poll'), 200)</script>`,
    '/events': (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n'),
    '/poll': (_, response) => response.end('{}'),
  });
  // Most of what a test takes is waiting: the tests of a block run concurrently.
  pool = await startTestPool([site], { BROWSER_TABS: '5' });
});

afterAll(async () => {
  await pool?.close();
  await site?.close();
});

const selector = (text: string) => ({ waitFor: { selector: text, ms: 0, networkIdle: false } });

describe('wait_for with a selector', () => {
  it.concurrent('reads the page when a visible element matches, even if late', async () => {
    const page = await pool.render(`${site.url}/late`, selector('#late'));
    expect(page.html).toContain('<div id="late">Here at last');
    expect(page.warnings).toEqual([]);
    expect(page.renderMs).toBeGreaterThan(2_000);
  });

  it.concurrent('waits across a navigation', async () => {
    const page = await pool.render(`${site.url}/navigates`, selector('#goal'));
    expect(page).toMatchObject({ landedUrl: `${site.url}/arrived`, warnings: [] });
  });

  it.concurrent.each(['#never', '.never', '#missing'])(
    'reads the page with a warning within its timeout if nothing visible matches %s',
    async (css) => {
      const page = await pool.render(`${site.url}/hidden`, { ...selector(css), timeoutMs: 5_000 });
      expect(page).toMatchObject({ httpStatus: 200, failure: undefined });
      expect(page.html).toContain('Enough text');
      expect(page.warnings).toEqual([expect.stringMatching(`^wait_for: nothing visible matched "${css}" in \\d+ ms$`)]);
      expect(page.renderMs).toBeLessThan(5_000);
    },
  );

  it.concurrent('warns immediately about an invalid selector', async () => {
    const page = await pool.render(`${site.url}/plain`, selector('p[['));
    expect(page).toMatchObject({ httpStatus: 200, warnings: ['wait_for: "p[[" is not a CSS selector'] });
    expect(page.renderMs).toBeLessThan(10_000);
  });
});

describe('wait_for with milliseconds', () => {
  it.concurrent('reads the page this time after it is stable', async () => {
    const page = await pool.render(`${site.url}/later`, { waitFor: { selector: '', ms: 2_500, networkIdle: false } });
    expect(page.html).toContain('grown');
    expect(page.renderMs).toBeGreaterThan(2_500);
  });

  it.concurrent('reserves time to read the page, and warns about the shortened wait', async () => {
    const wait = { waitFor: { selector: '', ms: 60_000, networkIdle: false }, timeoutMs: 2_500 };
    const page = await pool.render(`${site.url}/plain`, wait);
    expect(page).toMatchObject({ failure: undefined, warnings: [expect.stringContaining('of 60000 ms')] });
  });
});

describe('wait_for with network_idle', () => {
  const idle = { waitFor: { selector: '', ms: 0, networkIdle: true } };

  it.concurrent('waits for sequential requests and for half a second after the last', async () => {
    expect((await pool.render(`${site.url}/chain`, idle)).html).toContain('step 4');
  });

  it.concurrent('waits for a response that exceeds the usual wait', async () => {
    expect((await pool.render(`${site.url}/slow-image`, idle)).html).toContain('fetched');
  });

  it.concurrent('does not wait for the end of streams and polling', async () => {
    const page = await pool.render(`${site.url}/stream`, idle);
    expect(page).toMatchObject({ failure: undefined, warnings: [] });
    expect(page.renderMs).toBeLessThan(12_000);
  });
});
