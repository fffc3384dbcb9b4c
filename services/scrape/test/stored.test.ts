import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import {
  type CaptureOptions,
  type MatchSelectorsResponse,
  ScrapeServiceService as Rpc,
} from '@tidemark/contracts/scrape/v1/scrape';
import { anonymous, captureOptions, pageRow } from '@tidemark/testkit';
import { clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

const prose = '<p class="x">The harbour was quiet that morning, and the boats, tied up two by two, hardly moved.</p>';
const html = (title: string) =>
  `<!doctype html><html lang="en"><head><meta charset="iso-8859-1"><title>${title}</title></head><body><nav><a href="/">Home</a></nav>
  <main><h1>${title}</h1>${prose.repeat(12)}<p class="offer">Größe: buy this boat</p></main>
  <div id="cookie-banner">We use cookies to improve your visit.</div></body></html>`;

let servers: ScrapeServers;
beforeAll(async () => {
  servers = await openScrape((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html; charset=iso-8859-1');
    response.end(Buffer.from(html(`Page ${request.url}`), 'latin1'));
  });
}, 120_000);
afterAll(() => servers?.close(), 30_000);

/** Captures a page and returns its row. */
async function captured(path: string, more: Partial<CaptureOptions> = {}): Promise<PageRow> {
  const { page } = await clientIn(servers).scrape(path, { options: captureOptions(more) });
  if (page?.row === undefined) throw new Error('nothing was captured');
  return page.row;
}
const withHtml = (path: string) => captured(path, { formats: ['markdown', 'rawHtml'] });

const match = (selectors: string[], pages: PageRow[], samples = 2): Promise<MatchSelectorsResponse> =>
  servers.service.peer.call(Rpc.matchSelectors, { selectors, pages, samples }, anonymous());

describe('selectors on stored pages', () => {
  it('are counted on each page, with sample texts, without a fetch', async () => {
    const pages = [await withHtml('/a'), await withHtml('/b')];
    const requestsBefore = servers.site.seen.length;
    const { pages: found, errors } = await match(['p.x', '//h1', '.none', 'p.offer'], pages);
    expect(errors).toEqual({});
    expect(found.map(({ pageId }) => pageId)).toEqual(pages.map(({ id }) => id));
    expect(found[1]).toEqual({
      pageId: pages[1]?.id,
      hasHtml: true,
      error: undefined,
      matches: [
        { count: 12, samples: Array(2).fill(expect.stringMatching(/^The harbour .* hardly moved\.$/)) },
        { count: 1, samples: ['Page /b'] },
        { count: 0, samples: [] },
        { count: 1, samples: ['Größe: buy this boat'] },
      ],
    });
    expect(servers.site.seen.length).toBe(requestsBefore);
  });

  it('return an error if invalid, with or without pages, and do not stop the others', async () => {
    const errors = { 0: 'not a CSS selector', 2: 'not an XPath that can be run on a page' };
    expect(await match(['p[', 'p', '//p['], [])).toEqual({ pages: [], errors });
    const response = await match(['p[', 'p', '//p['], [await withHtml('/c')]);
    expect(response.errors).toEqual(errors);
    expect(response.pages[0]?.matches.map(({ count }) => count)).toEqual([0, 13, 0]);
  });

  it('return no counts for pages whose html is not stored, was deleted, or does not exist', async () => {
    const without = await captured('/d');
    const named = (sha256: string) => pageRow({ id: 'cap_x', content: { sha256, bytes: 10 } });
    const pages = [without, named('0'.repeat(64)), named('../../etc/passwd'), pageRow({ id: 'cap_y' })];
    const { pages: found } = await match(['p'], pages);
    expect(found.map(({ hasHtml, matches }) => ({ hasHtml, matches }))).toEqual(
      pages.map(() => ({ hasHtml: false, matches: [] })),
    );
    expect(found.map(({ error }) => error)).toEqual([
      undefined,
      'blob not found',
      'the reference of its bodies is invalid',
      undefined,
    ]);
  });

  it('are limited in number, and so are pages', async () => {
    await expect(match(Array<string>(51).fill('p'), [])).rejects.toMatchObject({ code: 'validation' });
    const many = Array.from({ length: 201 }, () => pageRow({ id: 'cap_z' }));
    await expect(match(['p'], many)).rejects.toMatchObject({ code: 'validation' });
  });
});

describe('preview of a stored page', () => {
  const preview = (page: PageRow, more: Partial<CaptureOptions> = {}) =>
    servers.service.peer.call(Rpc.previewContent, { page, options: captureOptions(more) }, anonymous());

  it('returns what the options keep and remove, with reasons, without a fetch', async () => {
    const page = await withHtml('/e');
    const requestsBefore = servers.site.seen.length;
    const fields = { size: { selector: '.offer', type: 'string' as const, many: false } };
    const made = await preview(page, { excludeSelectors: ['.offer', 'p['], fields });
    expect(made).toMatchObject({ title: 'Page /e', language: 'en' });
    expect(made.markdown).toMatch(/^# Page \/e\n\nThe harbour/);
    expect(made.text).not.toContain('Größe');
    expect(JSON.parse(made.fieldsJson)).toEqual({ size: 'Größe: buy this boat' });
    expect(made.removed.map(({ reason }) => reason).sort()).toEqual(['banner', 'exclude_selectors', 'navigation']);
    expect(made.removed.find(({ reason }) => reason === 'banner')?.selector).toBe('#cookie-banner');
    expect(made.notes).toEqual(['exclude_selectors: "p[": not a CSS selector']);
    expect(made.keptShare).toBeGreaterThan(0.8);
    const whole = await preview(page, { onlyMainContent: false, removeBanners: false });
    expect(whole.text).toContain('cookies');
    expect(whole.removed).toEqual([]);
    expect(servers.site.seen.length).toBe(requestsBefore);
  });

  it('returns not_found if its html is not stored', async () => {
    const error = { code: 'not_found', message: 'the html of this page is not stored; store_html keeps it' };
    for (const content of [undefined, { sha256: '0'.repeat(64), bytes: 1 }])
      await expect(preview(pageRow({ id: 'cap_x', httpStatus: 200, content }))).rejects.toMatchObject(error);
    await expect(preview(await captured('/f'))).rejects.toMatchObject(error);
    const bad = pageRow({ content: { sha256: '../x', bytes: 1 } });
    await expect(preview(bad)).rejects.toMatchObject({ code: 'validation' });
  });
});
