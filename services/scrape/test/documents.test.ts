import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { makePng } from '@tidemark/page-reader/testing/documents/make-image';
import { docxParts, pptxParts, xlsxParts, zipped } from '@tidemark/page-reader/testing/documents/make-office';
import { makePdf } from '@tidemark/page-reader/testing/documents/make-pdf';
import { OFFICE_TYPES } from '@tidemark/page-reader/testing/documents/read-task';
import { captureOptions } from '@tidemark/testkit';
import { clientIn, openScrape, type ScrapeServers } from './scrape-servers.ts';

const RSS =
  '<rss version="2.0"><channel><title>Tide news</title><item><title>High water</title><link>/high</link></item></channel></rss>';

/** Files of the site with their content types. */
const FILES: Readonly<Record<string, readonly [type: string, body: Buffer | string]>> = {
  '/report.pdf': ['application/pdf', makePdf([[{ text: 'Water rises', x: 72, y: 700 }]], { title: 'Tide report' })],
  '/lied-about': ['application/octet-stream', makePdf([[{ text: 'Water rises', x: 72, y: 700 }]])],
  '/report.docx': [OFFICE_TYPES.docx, zipped(docxParts())],
  '/ranges.xlsx': ['application/zip', zipped(xlsxParts())],
  '/talk.pptx': [OFFICE_TYPES.pptx, zipped(pptxParts())],
  '/ranges.csv': ['text/csv', 'port,range\nHull,6.9\n'],
  '/gauge.json': ['application/json', '{"name":"Gauge","port":"Hull"}'],
  '/feed': ['application/rss+xml', RSS],
  '/tide.png': ['image/png', makePng(40, 30, { Title: 'Low tide' })],
  '/broken.pdf': ['application/pdf', 'no pdf at all'],
  '/locked.pdf': ['application/pdf', makePdf([[{ text: 'x', x: 72, y: 700 }]], { password: 'tide' })],
};

let servers: ScrapeServers;
beforeAll(async () => {
  servers = await openScrape((request, response) => {
    const [type, body] = FILES[request.url ?? ''] ?? ['text/plain', ''];
    response.setHeader('content-type', type).end(body);
  });
}, 120_000);
afterAll(() => servers.close());

describe('scrape of a document', () => {
  it.each([
    ['/report.pdf', 'Water rises', { kind: 'pdf', pages: 1 }],
    ['/lied-about', 'Water rises', { kind: 'pdf' }],
    ['/report.docx', '# Tides of the north', { kind: 'docx', author: 'Ada Shore' }],
    ['/ranges.xlsx', '| Hull & Goole | 6.9 | 2024-02-29 |', { kind: 'xlsx', sheets: ['Ports', 'Notes'] }],
    ['/talk.pptx', '## The sea moves', { kind: 'pptx', slides: 2 }],
    ['/ranges.csv', '| Hull | 6.9 |', { kind: 'csv', rows: 2, columns: 2 }],
    ['/gauge.json', '"port": "Hull"', { kind: 'json' }],
    ['/feed', '## [High water](', { kind: 'rss', items: 1 }],
    ['/tide.png', '40 × 30 pixels', { kind: 'image', format: 'png', width: 40, height: 30 }],
  ])('reads %s like a page, at the price of the fetch', async (path, markdown, document) => {
    const { page } = await clientIn(servers).scrape(path);
    expect(page?.row).toMatchObject({ verdict: 'thin', errorCode: 'OK', httpStatus: 200, tier: 'http', credits: 1 });
    const bodies = PageBodies.decode(page?.bodies ?? Buffer.alloc(0));
    expect(bodies.markdown).toContain(markdown);
    expect(JSON.parse(bodies.headJson ?? '{}')).toMatchObject({ document });
  });

  it('reports a broken document, free of charge', async () => {
    const { page } = await clientIn(servers).scrape('/broken.pdf');
    expect(page?.row).toMatchObject({ verdict: 'skipped', errorCode: 'OK', credits: 0, words: 0 });
    expect(page?.row?.warnings).toEqual([expect.stringMatching(/^broken document: /)]);
  });

  it('reports a password-protected document, free of charge', async () => {
    const { page } = await clientIn(servers).scrape('/locked.pdf');
    expect(page?.row).toMatchObject({ verdict: 'blocked', errorCode: 'LOGIN_REQUIRED', credits: 0 });
    expect(page?.row?.reason).toContain('protected by a password');
  });

  it('skips a document, free of charge, if documents are not to be parsed', async () => {
    const options = captureOptions({ parseDocuments: false });
    const { page } = await clientIn(servers).scrape('/report.docx', { options });
    expect(page?.row).toMatchObject({
      verdict: 'skipped',
      credits: 0,
      warnings: [`unsupported type: ${OFFICE_TYPES.docx}`],
    });
  });
});
