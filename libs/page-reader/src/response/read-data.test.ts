import { describe, expect, it } from '@jest/globals';
import { makePng } from '../../test/documents/make-image.ts';
import { docxParts, zipped } from '../../test/documents/make-office.ts';
import { makePdf } from '../../test/documents/make-pdf.ts';
import { documentTask, OFFICE_TYPES, shown } from '../../test/documents/read-task.ts';
import { readBody } from './read-body.ts';
import type { ReadTask } from './read-task.ts';

const read = async (body: Buffer | string, contentType: string | undefined, more: Partial<ReadTask> = {}) =>
  shown(await readBody(documentTask(body, contentType, more)));

describe('data file', () => {
  it.each([
    ['port,range\n"Hull, Goole",6.9\n', 'text/csv', '| Hull, Goole | 6.9 |'],
    ['port;range\nHull;6,9\nDover;5,9', 'text/csv; charset=utf-8', '| Hull | 6,9 |'],
    ['port\trange\nHull\t6.9', 'text/tab-separated-values', '| Hull | 6.9 |'],
    ['port|range\nHull|6.9', 'application/csv', '| Hull | 6.9 |'],
  ])('is a table if it has rows, whatever the separator: %j', async (body, type, row) => {
    expect(await read(body, type)).toMatchObject({ markdown: expect.stringContaining(row), shape: 'table' });
  });

  it('is decoded by its encoding', async () => {
    expect((await read(Buffer.from('stadt,pegel\nK\xf6ln,3', 'latin1'), 'text/csv')).text).toBe(
      'stadt\tpegel\nKöln\t3',
    );
  });

  it('keeps every digit and name of JSON, one value per line', async () => {
    const page = await read(
      '{"name":"Gauge","id":12345678901234567890,"a":[],"b":[1,{"c":"x,\\"y"}]}',
      'application/json',
    );
    expect(page.text).toBe(
      '{\n  "name": "Gauge",\n  "id": 12345678901234567890,\n  "a": [],\n  "b": [\n    1,\n    {\n      "c": "x,\\"y"\n    }\n  ]\n}',
    );
    expect(page.markdown).toBe(`\`\`\`json\n${page.text}\n\`\`\``);
    expect(page.title).toBe('Gauge');
  });

  it('is shown unchanged with a note if it is invalid JSON', async () => {
    expect(await read('{"a": 1,', 'application/json')).toMatchObject({
      text: '{"a": 1,',
      warnings: expect.arrayContaining(['not valid json: shown as it is']),
    });
  });

  it('shows other XML as code, with entities unexpanded', async () => {
    const laughs = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>';
    expect((await read(laughs, 'application/xml')).markdown).toBe(`\`\`\`xml\n${laughs}\n\`\`\``);
  });
});

describe('feed', () => {
  const item =
    '<title>High water</title><link>/high</link><description>&lt;p&gt;At &lt;b&gt;noon&lt;/b&gt;&lt;script&gt;x()&lt;/script&gt;</description>';
  it.each([
    [
      'rss',
      `<?xml version="1.0"?><rss version="2.0"><channel><title>Tides</title><item>${item}</item></channel></rss>`,
      'text/html',
    ],
    [
      'rss',
      `<rdf:RDF xmlns:rdf="x"><channel><title>Tides</title></channel><item>${item}</item></rdf:RDF>`,
      'application/rdf+xml',
    ],
    [
      'atom',
      '<feed xmlns="http://www.w3.org/2005/Atom"><title>Tides</title><entry><title>High water</title><link rel="alternate" href="/high"/><summary type="html">At &lt;b&gt;noon&lt;/b&gt;</summary></entry></feed>',
      'application/atom+xml',
    ],
    [
      'json feed',
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'Tides',
        items: [{ url: '/high', title: 'High water', content_html: 'At <b>noon</b>' }],
      }),
      'application/feed+json',
    ],
  ])('in %s lists its entries with links and summaries', async (kind, body, type) => {
    const page = await read(body, type);
    expect(page.markdown).toContain('# Tides\n\n## [High water](https://example.com/high)\n\nAt noon');
    expect(page).toMatchObject({ shape: 'listing', title: 'Tides', head: { document: { kind, items: 1 } } });
  });
});

describe('image', () => {
  it('is read as its dimensions and metadata', async () => {
    const page = await read(makePng(40, 30, { Title: 'Low tide', Author: 'Ada Shore' }), 'application/octet-stream');
    expect(page).toMatchObject({
      title: 'Low tide',
      head: { document: { format: 'png', width: 40, height: 30, author: 'Ada Shore' } },
    });
    expect(page.markdown).toContain('40 × 30 pixels');
  });

  it('is read as its text if it is SVG', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 20"><title>Map</title><text>North <tspan>quay</tspan></text><script>x()</script></svg>';
    const page = await read(svg, 'image/svg+xml');
    expect(page.text).toContain('North quay');
    expect(page.cleanHtml).not.toContain('x()');
  });
});

describe('response that is not a document', () => {
  it('is read as a page: pages, plain text, XHTML', async () => {
    for (const type of ['text/html', 'application/xhtml+xml', 'text/xml', 'application/xml'])
      expect(
        (await read('<!DOCTYPE html><html><body><main><h1>A page</h1></main></body></html>', type)).head.document,
      ).toBeUndefined();
    expect(await read('plain\n  words', 'text/plain')).toMatchObject({
      text: 'plain\n  words',
      rawHtml: 'plain\n  words',
    });
  });

  it.each([
    ['audio/mpeg', Buffer.from('ID3\u0003\u0000\u0000')],
    ['application/zip', zipped({ 'a.txt': 'a' })],
    ['application/octet-stream', Buffer.from([0, 1, 2, 3])],
    ['application/msword', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ])('is skipped and free: %s', async (type, body) => {
    expect(await read(body, type)).toMatchObject({
      verdict: 'skipped',
      errorCode: 'OK',
      warnings: [`unsupported type: ${type}`],
      words: 0,
    });
  });

  it('includes every document if documents are not to be parsed', async () => {
    for (const [body, type] of [
      [makePdf([[]]), 'application/pdf'],
      [zipped(docxParts()), OFFICE_TYPES.docx],
      ['a,b', 'text/csv'],
      ['{}', 'application/json'],
    ] as const)
      expect(await read(body, type, { parseDocuments: false })).toMatchObject({
        verdict: 'skipped',
        warnings: [`unsupported type: ${type}`],
        words: 0,
      });
  });

  it('is a refusal whatever its content type', async () => {
    expect(await read('{"error":"no such tide"}', 'application/json', { status: 404 })).toMatchObject({
      verdict: 'blocked',
      errorCode: 'NOT_FOUND',
    });
    expect(await read(makePdf([[]]), 'application/pdf', { status: 403 })).toMatchObject({
      verdict: 'blocked',
      text: '',
    });
  });
});

it('keeps markdown unchanged, with its links', async () => {
  const source = '# Tides\n\nSee [the tables](/tables) & `code`.';
  const page = await read(source, 'text/plain', { landedUrl: 'https://example.com/README.md' });
  expect(page).toMatchObject({ markdown: source, text: source, title: 'Tides' });
  expect(page.links).toEqual([expect.objectContaining({ url: 'https://example.com/tables', text: 'the tables' })]);
});

it('lists the URLs of a sitemap', async () => {
  const body =
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/a</loc><lastmod>2024-02-29</lastmod></url></urlset>';
  expect((await read(body, 'application/xml')).links).toEqual([
    expect.objectContaining({ url: 'https://example.com/a' }),
  ]);
});
