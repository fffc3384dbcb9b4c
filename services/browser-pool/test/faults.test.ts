import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RenderRequest, BrowserPoolServiceService as Rpc } from '@tidemark/contracts/browser/v1/browser';
import { dialAsOperator, fleetEnv, freePort } from '@tidemark/testkit';
import { chromiumSandbox } from '../../../deploy/local/parts/chromium.ts';
import { browsersIn, renderersIn } from './processes.ts';
import { eventually, serveSite, startTestPool, type TestPool, type TestSite, testChromium } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

let site: TestSite;
let pool: TestPool | undefined;
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

const respondSlow = async (count: number): Promise<void> => {
  await eventually(() => slow.length >= count);
  for (const respond of slow) respond();
};

describe('the browser process', () => {
  it('runs only while there is work, and its profile is removed', async () => {
    pool = await startTestPool([site], { BROWSER_IDLE_SECONDS: '1' });
    expect(await pool.status()).toMatchObject({ browsers: 0 });
    await pool.render(`${site.url}/good`);
    expect(await pool.status()).toMatchObject({ browsers: 1, rendered: 1 });
    const { profileDir } = pool;
    const { status } = pool;
    await eventually(async () => browsersIn(profileDir).length === 0 && (await status()).browsers === 0);
    expect(await status()).toMatchObject({ crashed: 0, recycled: 0 });
    await eventually(() => readdirSync(profileDir).length === 0);
    expect(await pool.render(`${site.url}/good`)).toMatchObject({ httpStatus: 200 });
  });

  it('is replaced if it is killed during a render, and the page is rendered again', async () => {
    pool = await startTestPool([site]);
    const rendering = pool.render(`${site.url}/slow`);
    await eventually(() => slow.length === 1);
    for (const pid of pool.browserPids()) process.kill(pid, 'SIGKILL');
    await respondSlow(2);
    expect(await rendering).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(await pool.status()).toMatchObject({ crashed: 1, browsers: 1 });
  });

  it('fails a page as crashed if it is killed twice during its render', async () => {
    pool = await startTestPool([site]);
    const { browserPids } = pool;
    const rendering = pool.render(`${site.url}/slow`);
    for (const times of [1, 2]) {
      await eventually(() => slow.length === times);
      for (const pid of browserPids()) process.kill(pid, 'SIGKILL');
    }
    expect(await rendering).toMatchObject({ failure: 'crashed', html: '' });
    expect(await pool.render(`${site.url}/good`)).toMatchObject({ httpStatus: 200 });
  });

  it('is killed if it is stopped during a render, and the page is rendered again', async () => {
    pool = await startTestPool([site], { BROWSER_HANG_MS: '1000' });
    const rendering = pool.render(`${site.url}/slow`, { timeoutMs: 20_000 });
    await eventually(() => slow.length === 1);
    const stopped = pool.browserPids();
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    await respondSlow(2);
    expect(await rendering).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(stopped.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });

  it('survives the crash of a renderer, which fails only its page', async () => {
    pool = await startTestPool([site], { BROWSER_TABS: '2' });
    await pool.render(`${site.url}/good`);
    const dying = pool.render(`${site.url}/slow`);
    await eventually(() => slow.length === 1);
    for (const pid of renderersIn(pool.profileDir)) process.kill(pid, 'SIGKILL');
    expect(await dying).toMatchObject({ failure: 'crashed' });
    expect(await pool.render(`${site.url}/good`)).toMatchObject({ httpStatus: 200 });
    expect(await pool.status()).toMatchObject({ crashed: 0, browsers: 1 });
  });

  it('is replaced after its page limit without losing a page', async () => {
    pool = await startTestPool([site], { BROWSER_MAX_PAGES: '3' });
    const { render } = pool;
    const pages = await Promise.all(Array.from({ length: 8 }, () => render(`${site.url}/good`)));
    expect(pages.map(({ failure }) => failure)).toEqual(Array.from({ length: 8 }, () => undefined));
    expect((await pool.status()).recycled).toBeGreaterThan(0);
  });

  it('exits if the service is killed, and its profile is removed at the next start', async () => {
    const profileDir = mkdtempSync(join(tmpdir(), 'tidemark-pool-test-'));
    const port = await freePort();
    const child = spawn(
      process.execPath,
      ['--conditions=tidemark-source', join(import.meta.dirname, '../src/main.ts')],
      {
        env: {
          PATH: process.env['PATH'],
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
          ...fleetEnv,
          CHROMIUM_PATH: await testChromium(),
          CHROMIUM_SANDBOX: chromiumSandbox(),
          TIDEMARK_EGRESS_ALLOW: site.authority,
          PROFILE_DIR: profileDir,
          GRPC_LISTEN: `127.0.0.1:${port}`,
          HTTP_LISTEN: '127.0.0.1:0',
          LOG_LEVEL: 'silent',
        },
        stdio: 'ignore',
      },
    );
    const peer = dialAsOperator('browser-pool', `127.0.0.1:${port}`);
    const request = RenderRequest.fromPartial({
      url: `${site.url}/good`,
      timeoutMs: 10_000,
      screenshot: false,
      device: 'desktop',
      blockResources: false,
      workspaceId: 'w',
    });
    const render = () => peer.call(Rpc.render, request, { requestId: 'r' }, { deadlineMs: 15_000 });
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
    pool = await startTestPool([site], { PROFILE_DIR: profileDir });
    expect(readdirSync(profileDir)).toEqual([]);
    rmSync(profileDir, { recursive: true, force: true });
  });
});

describe('the render queue', () => {
  it('rejects a call immediately when full, with a retry time', async () => {
    pool = await startTestPool([site], { BROWSER_TABS: '1', QUEUE_LIMIT: '1' });
    const inside = pool.render(`${site.url}/slow`);
    await eventually(() => slow.length === 1);
    const waiting = pool.render(`${site.url}/good`);
    const { status, render } = pool;
    await eventually(async () => (await status()).queued === 1);
    await expect(render(`${site.url}/good`)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    // Rejected immediately: the two earlier renders are still pending.
    expect(await status()).toMatchObject({ busy: 1, queued: 1 });
    await respondSlow(1);
    expect(await inside).toMatchObject({ httpStatus: 200 });
    expect((await waiting).queueMs).toBeGreaterThan(0);
  });

  it('rejects a call that gets no tab within its timeout, and ends a hanging page at its own deadline', async () => {
    pool = await startTestPool([site], { BROWSER_TABS: '1' });
    const hanging = pool.render(`${site.url}/never`, { timeoutMs: 2_500 });
    await eventually(async () => (await pool?.status())?.busy === 1);
    await expect(pool.render(`${site.url}/good`, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'unavailable' });
    expect(await hanging).toMatchObject({ failure: 'timeout' });
  });
});
