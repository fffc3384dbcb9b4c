// `npm run bench -- browser`: pages/s of browser-pool's Render and of plain puppeteer with as many reused tabs, on the
// same loopback pages, in alternating rounds. Plain puppeteer keeps cache, cookies and storage from page to page; Render keeps nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RenderRequest, BrowserPoolServiceService as Rpc } from '@tidemark/contracts/browser/v1/browser';
import type { Peer } from '@tidemark/service';
import { dialAsOperator, fleetEnv } from '@tidemark/testkit';
import puppeteer, { type Browser } from 'puppeteer-core';
import { chromiumPath, chromiumSandbox } from '../../deploy/local/parts/chromium.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { memoryOf, treeOf } from '../../services/browser-pool/src/chromium/process-tree.ts';
import { type LoadResult, median, runLoad } from '../shared/load.ts';
import { benchPage } from '../shared/sample-page.ts';

const TABS = 4;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const ROUND_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 6);
const SOAK_PAGES = 300;
const PAGES = 200;
const GOAL = 1.5;
const HOST = '127.0.0.2';
// Flags that make Chromium quiet; those of a plain puppeteer script.
const PLAIN_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--mute-audio',
];

const STYLE =
  'body{font:16px/1.5 serif;margin:2em}nav li{display:inline;padding:0 .3em}table{border-collapse:collapse}td{border:1px solid #ccc}';
const SCRIPT = `document.addEventListener('DOMContentLoaded', () => {
  for (const link of document.links) link.rel = 'noopener';
  document.body.dataset.links = String(document.links.length);
});`;
const IMAGE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180"><rect width="320" height="180" fill="#357"/></svg>';

/** Builds an article of about 40 KB with a stylesheet, a script and six images, a typical page. */
function pageOf(seed: number): string {
  const images = Array.from(
    { length: 6 },
    (_, i) => `<img src="/image/${i}.svg" alt="" width="320" height="180">`,
  ).join('');
  return benchPage(seed)
    .replace('</head>', '<link rel="stylesheet" href="/site.css"><script defer src="/site.js"></script></head>')
    .replace('</main>', `${images}</main>`);
}

/** Serves the site when this file is started with `site`, in a separate process so that its CPU counts for neither side. */
function serveSite(): void {
  const pages = Array.from({ length: PAGES }, (_, seed) => pageOf(seed));
  const parts: Record<string, readonly [string, string]> = {
    css: ['text/css', STYLE],
    js: ['text/javascript', SCRIPT],
    svg: ['image/svg+xml', IMAGE],
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const [type, body] = parts[path.split('.').at(-1) ?? ''] ?? [
      'text/html; charset=utf-8',
      pages[Number(path.slice(1)) % PAGES] ?? '',
    ];
    response.writeHead(200, {
      'content-type': type,
      'cache-control': 'max-age=3600',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.listen(0, HOST, () => console.log(`port ${portOf(server)}`));
}

function portOf(server: { address(): unknown }): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null || !('port' in address))
    throw new Error('the server does not listen');
  return Number(address.port);
}

const children: ChildProcess[] = [];

function startChild(args: readonly string[], env: Record<string, string>): ChildProcess {
  const child = spawn(
    process.execPath,
    ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning', ...args],
    {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.push(child);
  return child;
}

async function startSite(): Promise<string> {
  const child = startChild([import.meta.filename, 'site'], {});
  for await (const line of child.stdout ?? []) {
    const port = /port (\d+)/.exec(String(line))?.[1];
    if (port !== undefined) return `http://${HOST}:${port}`;
  }
  throw new Error('the site did not start');
}

async function startPool(
  siteUrl: string,
  executablePath: string,
  profileDir: string,
): Promise<{ peer: Peer; pid: number }> {
  const probe = createTcpServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const port = portOf(probe);
  await new Promise((resolve) => probe.close(resolve));
  const child = startChild([join(import.meta.dirname, '../../services/browser-pool/src/main.ts')], {
    ...fleetEnv,
    CHROMIUM_PATH: executablePath,
    CHROMIUM_SANDBOX: chromiumSandbox(),
    TIDEMARK_EGRESS_ALLOW: new URL(siteUrl).host,
    PROFILE_DIR: profileDir,
    BROWSER_TABS: String(TABS),
    GRPC_LISTEN: `127.0.0.1:${port}`,
    HTTP_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'warn',
  });
  child.stdout?.pipe(process.stderr);
  const peer = dialAsOperator('browser-pool', `127.0.0.1:${port}`);
  for (let tries = 0; ; tries += 1) {
    try {
      await peer.call(Rpc.status, {}, { requestId: 'bench' }, { deadlineMs: 2_000 });
      return { peer, pid: child.pid ?? 0 };
    } catch (error) {
      if (tries > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

let turn = 0;
const nextPath = (): string => `/${turn++ % PAGES}`;

/** One round of plain puppeteer: each tab opens page after page, waits for `load` and reads the document. */
async function plainRound(browser: Browser, siteUrl: string): Promise<LoadResult> {
  const free = await Promise.all(Array.from({ length: TABS }, () => browser.newPage()));
  const tabs = [...free];
  const result = await load(async () => {
    const page = free.pop();
    if (page === undefined) throw new Error('more pages at once than tabs');
    await page.goto(siteUrl + nextPath(), { waitUntil: 'load', timeout: 30_000 });
    const html = await page.content();
    if (!html.includes('Tide readings')) throw new Error('not the page');
    free.push(page);
  });
  await Promise.all(tabs.map((page) => page.close()));
  return result;
}

function renderRound(
  peer: Peer,
  siteUrl: string,
  blockResources: boolean,
  workspaceOf: () => string,
): Promise<LoadResult> {
  return load(async () => {
    const request = RenderRequest.fromPartial({
      url: siteUrl + nextPath(),
      timeoutMs: 30_000,
      screenshot: false,
      device: 'desktop',
      blockResources,
      workspaceId: workspaceOf(),
    });
    const page = await peer.call(Rpc.render, request, { requestId: 'bench' }, { deadlineMs: 40_000 });
    if (page.failure !== undefined || !page.html.includes('data-links'))
      throw new Error(`not the page: ${page.failure}`);
  });
}

const load = (once: () => Promise<unknown>): Promise<LoadResult> =>
  runLoad(once, { connections: TABS, seconds: ROUND_SECONDS });

/** Returns the memory of a service and of its browser processes. */
function memory(pid: number): string {
  const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`;
  const [browser = 0] = treeOf(pid).slice(1);
  return `${megabytes(memoryOf(browser))} in ${treeOf(browser).length} processes, the service ${megabytes(memoryOf(pid) - memoryOf(browser))}`;
}

function print(name: string, results: readonly LoadResult[], plain: readonly LoadResult[]): number {
  const of = (pick: (result: LoadResult) => number) => median(results.map(pick));
  const ratio = median(results.map(({ perSecond }, round) => (plain[round]?.perSecond ?? Number.NaN) / perSecond));
  console.log(
    `${name.padEnd(46)} ${of((r) => r.perSecond)
      .toFixed(1)
      .padStart(6)} pages/s   p50 ${of((r) => r.p50Ms)
      .toFixed(0)
      .padStart(4)} ms   p95 ${of((r) => r.p95Ms)
      .toFixed(0)
      .padStart(4)} ms   plain is ${ratio.toFixed(2)} x`,
  );
  return ratio;
}

async function main(): Promise<void> {
  const executablePath = await chromiumPath(TOOLS_DIR, (text) => console.log(text));
  const profileDir = mkdtempSync(join(tmpdir(), 'tidemark-bench-browser-'));
  const siteUrl = await startSite();
  const { peer, pid } = await startPool(siteUrl, executablePath, profileDir);
  const browser = await puppeteer.launch({ executablePath, headless: 'shell', pipe: true, args: PLAIN_FLAGS });
  try {
    let workspace = 0;
    const kinds = {
      plain: () => plainRound(browser, siteUrl),
      text: () => renderRound(peer, siteUrl, true, () => 'ws_bench'),
      all: () => renderRound(peer, siteUrl, false, () => 'ws_bench'),
      strangers: () => renderRound(peer, siteUrl, true, () => `ws_${workspace++}`),
    };
    const results: Record<keyof typeof kinds, LoadResult[]> = { plain: [], text: [], all: [], strangers: [] };
    await kinds.plain();
    await kinds.text();
    const atFourTabs = memory(pid);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const kind of ['plain', 'text', 'all', 'strangers'] as const) results[kind].push(await kinds[kind]());
    }
    while (Number((await peer.call(Rpc.status, {}, { requestId: 'bench' })).rendered) < SOAK_PAGES) await kinds.text();
    await kinds.text();
    console.log(`\n${TABS} tabs, medians of ${ROUNDS} rounds of ${ROUND_SECONDS} s`);
    print('plain puppeteer, reused tabs, nothing isolated', results.plain, results.plain);
    const ratio = print('Render, a crawl: one workspace, images blocked', results.text, results.plain);
    print('Render, the same with images', results.all, results.plain);
    print('Render, every page another workspace', results.strangers, results.plain);
    const { rendered } = await peer.call(Rpc.status, {}, { requestId: 'bench' });
    console.log(`memory (PSS) of the browser: ${atFourTabs} at ${TABS} tabs; ${memory(pid)} after ${rendered} pages`);
    console.log(`goal: plain at most ${GOAL} x Render: ${ratio <= GOAL ? 'met' : 'MISSED'}`);
  } finally {
    await browser.close();
    await peer.close();
    for (const child of children) child.kill('SIGTERM');
    rmSync(profileDir, { recursive: true, force: true });
  }
}

if (process.argv[2] === 'site') serveSite();
else await main();
