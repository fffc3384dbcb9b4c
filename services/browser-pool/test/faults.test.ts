import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BrowserPoolServiceService as face, RenderRequest } from '@tidemark/contracts/browser/v1/browser';
import { dial } from '@tidemark/service';
import { eventually, type PoolUnderTest, type Site, serveSite, startPool, testChromium } from './pool-under-test.ts';
import { browsersIn, renderersIn } from './processes.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

let site: Site;
let pool: PoolUnderTest | undefined;
let slow: (() => void)[] = [];

beforeAll(async () => {
  site = await serveSite({
    '/good': TEXT,
    '/slow': (_, response) => {
      slow.push(() => response.setHeader('content-type', 'text/html').end(TEXT));
    },
    '/never': () => undefined,
  });
});

afterAll(() => site.close());

afterEach(async () => {
  await pool?.close();
  slow = [];
});

const answerSlow = async (count: number): Promise<void> => {
  await eventually(() => slow.length >= count, 15_000);
  for (const answer of slow) answer();
};

describe('the browser', () => {
  it('runs only while there is work, and leaves no profile behind', async () => {
    pool = await startPool([site], { BROWSER_IDLE_SECONDS: '1' });
    expect(await pool.status()).toMatchObject({ browsers: 0 });
    await pool.render(`${site.url}/good`);
    expect(await pool.status()).toMatchObject({ browsers: 1, rendered: 1 });
    const { profileDir } = pool;
    const { status } = pool;
    await eventually(async () => browsersIn(profileDir).length === 0 && (await status()).browsers === 0, 8_000);
    expect(await status()).toMatchObject({ crashed: 0, recycled: 0 });
    await eventually(() => readdirSync(profileDir).length === 0);
    expect(await pool.render(`${site.url}/good`)).toMatchObject({ httpStatus: 200 });
  });

  it('killed under a page: the page is rendered on a new one', async () => {
    pool = await startPool([site]);
    const rendering = pool.render(`${site.url}/slow`);
    await eventually(() => slow.length === 1, 15_000);
    for (const pid of pool.browserPids()) process.kill(pid, 'SIGKILL');
    await answerSlow(2);
    expect(await rendering).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(await pool.status()).toMatchObject({ crashed: 1, browsers: 1 });
  });

  it('killed under a page twice: the page has crashed', async () => {
    pool = await startPool([site]);
    const { browserPids } = pool;
    const rendering = pool.render(`${site.url}/slow`);
    for (const times of [1, 2]) {
      await eventually(() => slow.length === times, 15_000);
      for (const pid of browserPids()) process.kill(pid, 'SIGKILL');
    }
    expect(await rendering).toMatchObject({ failure: 'crashed', html: '' });
    expect(await pool.render(`${site.url}/good`)).toMatchObject({ httpStatus: 200 });
  });

  it('stopped under a page: it is noticed, killed, and the page rendered on a new one', async () => {
    pool = await startPool([site], { BROWSER_HANG_MS: '1000' });
    const rendering = pool.render(`${site.url}/slow`, { timeoutMs: 20_000 });
    await eventually(() => slow.length === 1, 15_000);
    const stopped = pool.browserPids();
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    await answerSlow(2);
    expect(await rendering).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(stopped.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });

  it('a renderer that dies takes its page with it, and nothing else', async () => {
    pool = await startPool([site], { BROWSER_TABS: '2' });
    await pool.render(`${site.url}/good`);
    const dying = pool.render(`${site.url}/slow`);
    await eventually(() => slow.length === 1, 15_000);
    for (const pid of renderersIn(pool.profileDir)) process.kill(pid, 'SIGKILL');
    expect(await dying).toMatchObject({ failure: 'crashed' });
    expect(await pool.render(`${site.url}/good`)).toMatchObject({ httpStatus: 200 });
    expect(await pool.status()).toMatchObject({ crashed: 0, browsers: 1 });
  });

  it('is replaced after so many pages, without losing one', async () => {
    pool = await startPool([site], { BROWSER_MAX_PAGES: '3' });
    const { render } = pool;
    const pages = await Promise.all(Array.from({ length: 8 }, () => render(`${site.url}/good`)));
    expect(pages.map(({ failure }) => failure)).toEqual(Array.from({ length: 8 }, () => undefined));
    expect((await pool.status()).recycled).toBeGreaterThan(0);
  });

  it('ends with the service, however that ends, and its profile goes with the next start', async () => {
    const profileDir = mkdtempSync(join(tmpdir(), 'tidemark-pool-test-'));
    const port = 40_000 + (process.pid % 20_000);
    const child = spawn(
      process.execPath,
      ['--conditions=tidemark-source', join(import.meta.dirname, '../src/main.ts')],
      {
        env: {
          PATH: process.env['PATH'],
          CHROMIUM_PATH: await testChromium(),
          TIDEMARK_EGRESS_ALLOW: site.authority,
          PROFILE_DIR: profileDir,
          GRPC_LISTEN: `127.0.0.1:${port}`,
          HTTP_LISTEN: '127.0.0.1:0',
          LOG_LEVEL: 'silent',
        },
        stdio: 'ignore',
      },
    );
    const peer = dial('browser-pool', `127.0.0.1:${port}`);
    const request = RenderRequest.fromPartial({
      url: `${site.url}/good`,
      timeoutMs: 10_000,
      screenshot: false,
      blockResources: false,
      workspaceId: 'w',
    });
    const render = () => peer.call(face.render, request, { requestId: 'r' }, { deadlineMs: 15_000 });
    await eventually(
      () =>
        render().then(
          () => true,
          () => false,
        ),
      20_000,
    );
    expect(browsersIn(profileDir)).toHaveLength(1);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    await eventually(() => browsersIn(profileDir).length === 0);
    await peer.close();
    pool = await startPool([site], { PROFILE_DIR: profileDir });
    expect(readdirSync(profileDir)).toEqual([]);
    rmSync(profileDir, { recursive: true, force: true });
  });
});

describe('the queue', () => {
  it('full: the next call is refused at once, with a time to come back', async () => {
    pool = await startPool([site], { BROWSER_TABS: '1', QUEUE_LIMIT: '1' });
    const inside = pool.render(`${site.url}/slow`);
    await eventually(() => slow.length === 1, 15_000);
    const waiting = pool.render(`${site.url}/good`);
    const { status, render } = pool;
    await eventually(async () => (await status()).queued === 1);
    await expect(render(`${site.url}/good`)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    // Refused while both before it still wait: for no tab, and for no deadline of theirs.
    expect(await status()).toMatchObject({ busy: 1, queued: 1 });
    await answerSlow(1);
    expect(await inside).toMatchObject({ httpStatus: 200 });
    expect((await waiting).queueMs).toBeGreaterThan(0);
  });

  it('counts the wait: who gets no tab in time is told so, and the page that hangs keeps to its own deadline', async () => {
    pool = await startPool([site], { BROWSER_TABS: '1' });
    const hanging = pool.render(`${site.url}/never`, { timeoutMs: 2_500 });
    await eventually(async () => (await pool?.status())?.busy === 1);
    await expect(pool.render(`${site.url}/good`, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'unavailable' });
    expect(await hanging).toMatchObject({ failure: 'timeout' });
  });
});
