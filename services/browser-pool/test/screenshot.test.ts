import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jpegSize } from './jpeg.ts';
import { serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const svg = (colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200"><rect width="400" height="200" fill="${colour}"/></svg>`;

let site: TestSite;
let pool: TestPool;

beforeAll(async () => {
  site = await serveSite({
    '/long': `<style>body{margin:0;font:30px sans-serif} header{position:fixed;top:0;width:100%;height:60px;background:#036;color:#fff} section{height:900px;padding-top:80px}</style>
      <header>Fixed header</header>${[1, 2, 3, 4].map((n) => `<section style="background:hsl(${n * 80} 60% 85%)">Part ${n}<br><img loading=lazy width=400 height=200 src="/lazy-${n}.svg"></section>`).join('')}`,
    ...Object.fromEntries(
      [1, 2, 3, 4].map((n) => [
        `/lazy-${n}.svg`,
        (_: unknown, response: { setHeader(name: string, value: string): { end(text: string): void } }) =>
          response.setHeader('content-type', 'image/svg+xml').end(svg('crimson')),
      ]),
    ),
    '/short': '<p>short</p>',
    '/tower':
      '<meta name=viewport content="width=device-width"><body style="margin:0"><div style="height:100000px;background:linear-gradient(red,blue)">tower</div>',
    '/wide': '<body style="margin:0"><div style="width:200000px;height:100px;background:#eee">wide</div>',
  });
  pool = await startTestPool([site]);
});

afterAll(async () => {
  await pool?.close();
  await site?.close();
});

const shoot = (path: string, more: object = {}) =>
  pool.render(`${site.url}${path}`, { screenshot: true, fullPage: true, blockResources: true, ...more });

describe('a screenshot of the full page', () => {
  it('contains the whole page with lazy images', async () => {
    const { screenshot, warnings } = await shoot('/long');
    if (process.env['KEEP_SCREENSHOT'] !== undefined) writeFileSync(process.env['KEEP_SCREENSHOT'], screenshot ?? '');
    expect(jpegSize(screenshot)).toEqual({ width: 1280, height: 3920 });
    expect(site.requested.filter((path) => path.startsWith('/lazy')).sort()).toEqual(
      [1, 2, 3, 4].map((n) => `/lazy-${n}.svg`),
    );
    expect(warnings).toEqual([]);
  });

  it('has the size of the viewport for a shorter page', async () => {
    expect(jpegSize((await shoot('/short')).screenshot)).toEqual({ width: 1280, height: 800 });
  });

  it.each([
    ['desktop', { width: 1280, height: 15_625 }],
    ['mobile', { width: 780, height: 16_000 }],
  ])('is cut for a very high page, with a warning: %s', async (device, size) => {
    const { screenshot, warnings, html } = await shoot('/tower', { device });
    expect(jpegSize(screenshot)).toEqual(size);
    expect(warnings).toEqual([expect.stringMatching(/^screenshot: the first \d+ of \d+ pixels$/)]);
    expect(html).toContain('tower');
  });

  it('has at most twice the width of the viewport', async () => {
    expect(jpegSize((await shoot('/wide')).screenshot).width).toBe(2_560);
  });

  it('has the size of the viewport if the full page is not requested', async () => {
    expect(jpegSize((await shoot('/long', { fullPage: false })).screenshot)).toEqual({ width: 1280, height: 800 });
  });
});
