import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderersIn } from './processes.ts';
import { eventually, serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

let site: TestSite;
let pool: TestPool;

beforeAll(async () => {
  site = await serveSite({
    '/good': TEXT,
    '/busy': `${TEXT}<script>setTimeout(() => { while (true); }, 0)</script>`,
    '/busy-at-once': `<script>while (true);</script>`,
    '/alerts': `${TEXT}<script>for (let i = 0; i < 20; i++) { alert(i); confirm(i); prompt(i); }</script>`,
    '/alerts-forever': `${TEXT}<script>while (true) alert('again')</script>`,
    '/popups': `${TEXT}<script>for (let i = 0; i < 1000; i++) window.open('/good?' + i)</script>`,
    '/download': (_, response) =>
      response.writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' }).end('PK'),
    '/to-download': `${TEXT}<script>location.href = '/download'</script>`,
    '/frames': `${TEXT}<script>for (let i = 0; i < 1000; i++) document.body.append(document.createElement('iframe'))</script>`,
    '/reloads': `${TEXT}<script>location.replace('/reloads?' + Math.random())</script>`,
    '/changing': `${TEXT}<script>setInterval(() => { document.body.dataset.n = Math.random(); document.body.append('.') }, 10)</script>`,
    '/leaves': `${TEXT}<script>addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'stay'; })</script>`,
    '/flood': (_, response) => {
      response.setHeader('content-type', 'text/html');
      const chunk = `<!--${'x'.repeat(1024 * 1024)}-->`;
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    },
  });
  pool = await startTestPool([site], { BROWSER_TABS: '2', PAGE_MAX_MEGABYTES: '8' });
  await pool.render(`${site.url}/good`);
});

afterAll(async () => {
  await pool?.close();
  await site?.close();
});

describe('a hostile page', () => {
  it.each(['busy-at-once', 'alerts-forever'])('%s: ends at its deadline, and its tab is closed', async (name) => {
    const startedAtMs = performance.now();
    expect(await pool.render(`${site.url}/${name}`, { timeoutMs: 1_500 })).toMatchObject({ failure: 'timeout' });
    expect(performance.now() - startedAtMs).toBeLessThan(30_000);
    await eventually(async () => (await pool.status()).busy === 0);
    expect(await pool.render(`${site.url}/good`)).toMatchObject({ httpStatus: 200, failure: undefined });
  });

  it('leaves no busy process', async () => {
    await pool.render(`${site.url}/busy`, { timeoutMs: 1_200 });
    await eventually(async () => (await pool.status()).busy === 0);
    await eventually(() => renderersIn(pool.profileDir).length <= 3);
  });

  it.each(['alerts', 'popups', 'changing', 'leaves', 'to-download'])('%s: is read', async (name) => {
    const page = await pool.render(`${site.url}/${name}`, { timeoutMs: 20_000 });
    expect(page).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(page.html).toContain('Enough text');
  });

  it('with a thousand iframes ends before its deadline', async () => {
    const startedAtMs = performance.now();
    const { failure = 'none' } = await pool.render(`${site.url}/frames`, { timeoutMs: 3_000 });
    expect(['none', 'timeout']).toContain(failure);
    expect(performance.now() - startedAtMs).toBeLessThan(30_000);
    expect(await pool.render(`${site.url}/good`)).toMatchObject({ httpStatus: 200, failure: undefined });
  });

  it('never opens popups', () => {
    expect(site.requested.filter((path) => path.startsWith('/good?'))).toEqual([]);
  });

  it('fails as protocol for a download', async () => {
    expect(await pool.render(`${site.url}/download`)).toMatchObject({ failure: 'protocol', html: '' });
  });

  it('fails as protocol if it redirects without end', async () => {
    const page = await pool.render(`${site.url}/reloads`, { timeoutMs: 8_000 });
    expect(page.redirects.length).toBeGreaterThan(5);
    expect(page.redirects.length).toBeLessThan(60);
    expect(page).toMatchObject({ failure: 'protocol' });
  });

  it('fails as too_large if it never stops sending', async () => {
    expect(await pool.render(`${site.url}/flood`, { timeoutMs: 20_000 })).toMatchObject({
      failure: 'too_large',
      html: '',
    });
  });

  it('does not stop the pool from rendering other pages', async () => {
    expect(await pool.render(`${site.url}/good`)).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(await pool.status()).toMatchObject({ browsers: 1, crashed: 0 });
  });
});
