import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DocumentResult, parseDocument } from './parse-document.ts';

const MAX = 50 * 1024 * 1024;

interface ParsedDocument extends DocumentResult {
  readonly entries: readonly (readonly string[])[];
  readonly children: readonly string[];
  readonly alternates: number;
}

async function parse(content: string | Buffer, { max = MAX, chunk = 64 * 1024 } = {}): Promise<ParsedDocument> {
  const bytes = Buffer.from(content);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, i) =>
    bytes.subarray(i * chunk, (i + 1) * chunk),
  );
  const entries: string[][] = [];
  const children: string[] = [];
  let alternates = 0;
  const sink = {
    entry: (loc: string, lastmod: string) => entries.push([loc, lastmod]) > 0,
    child: (loc: string) => children.push(loc) > 0,
    alternate: () => {
      alternates += 1;
    },
  };
  return { ...(await parseDocument(Readable.from(chunks), sink, max)), entries, children, alternates };
}
const locsOf = async (content: string | Buffer): Promise<string[]> =>
  (await parse(content)).entries.map(([loc = '']) => loc);
const urlset = (inner: string) => `<?xml version="1.0"?><urlset>${inner}</urlset>`;

describe('parseDocument of a sitemap', () => {
  it('ignores namespaces, also if they are wrong or missing', async () => {
    for (const open of ['urlset', 'urlset xmlns="wrong"', 'sm:urlset xmlns:sm="x"']) {
      const name = open.startsWith('sm:') ? 'sm:' : '';
      const text = `<${open}><${name}url><${name}loc> http://a/1 </${name}loc></${name}url></${name}urlset>`;
      expect(await locsOf(text)).toEqual(['http://a/1']);
    }
  });

  it('counts images, videos and languages as alternates and not as entries', async () => {
    const inner =
      '<url><loc>http://a/1</loc><xhtml:link rel="alternate" hreflang="de" href="http://a/de"/><image:image><image:loc>http://a/i.png</image:loc></image:image></url>';
    expect(await parse(urlset(inner))).toMatchObject({
      entries: [['http://a/1', '']],
      alternates: 2,
      error: undefined,
    });
  });

  it('decompresses gzip once or twice, detected by content', async () => {
    const plain = urlset('<url><loc>http://a/1</loc></url>');
    for (const content of [plain, gzipSync(plain), gzipSync(gzipSync(plain))])
      expect(await locsOf(content)).toEqual(['http://a/1']);
  });

  it('detects the charset by byte order mark and XML declaration', async () => {
    const text = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><urlset><url><loc>http://a/é</loc></url></urlset>`;
    expect(await locsOf(Buffer.from(text('iso-8859-1'), 'latin1'))).toEqual(['http://a/é']);
    expect(await locsOf(Buffer.from(`\ufeff${text('utf-16')}`, 'utf16le'))).toEqual(['http://a/é']);
    expect(await locsOf(Buffer.from(text('utf-16'), 'utf16le'))).toEqual(['http://a/é']);
    expect(await locsOf(`\ufeff${text('UTF-8')}`)).toEqual(['http://a/é']);
    expect(await locsOf(text('no-such-charset'))).toEqual(['http://a/é']);
  });

  it('accepts unescaped ampersands and does not change those in CDATA', async () => {
    const found = await parse(
      urlset(
        '<url><loc>http://a/?x=1&y=2&amp;z=3&copy=4</loc></url><url><loc><![CDATA[http://a/?p=1&amp;q]]></loc></url>',
      ),
    );
    expect(found.entries.map(([loc]) => loc)).toEqual(['http://a/?x=1&y=2&z=3&copy=4', 'http://a/?p=1&amp;q']);
    expect(found.error).toContain('after character');
  });

  it('never expands an entity', async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>${urlset('<url><loc>http://a/&b;</loc></url>')}`;
    const outside = `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${urlset('<url><loc>http://a/&f;</loc></url>')}`;
    expect(await locsOf(bomb)).toEqual(['http://a/&b;']);
    expect(await locsOf(outside)).toEqual(['http://a/&f;']);
  });

  it('keeps the complete entries of a truncated file and reports the position', async () => {
    const found = await parse('<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/2');
    expect(found.entries).toEqual([['http://a/1', '']]);
    expect(found).toMatchObject({
      kind: 'sitemap',
      error: expect.stringContaining('the entries that could be read are kept'),
    });
  });

  it('stops at the size limit and keeps the entries before it', async () => {
    const found = await parse(urlset('<url><loc>http://a/1</loc></url>'.repeat(1_000)), { max: 10_000, chunk: 1_000 });
    expect(found.entries.length).toBeGreaterThan(250);
    expect(found).toMatchObject({ bytes: 10_000, error: expect.stringContaining('larger than') });
  });

  it('stops at elements that are nested too deeply or too long', async () => {
    expect((await parse(`<urlset>${'<a>'.repeat(10_000)}`)).error).toContain('nested too deeply');
    expect((await parse(`<urlset><url><loc>${'x'.repeat(3_000_000)}`)).error).toContain('longer than 2 MB');
  });
});

describe('parseDocument of other documents', () => {
  it('returns the files of an index, also without `loc` elements', async () => {
    const text =
      '<sitemapindex><sitemap><loc>http://a/1.xml</loc></sitemap><sitemap>\nhttp://a/2.xml\n</sitemap></sitemapindex>';
    expect(await parse(text)).toMatchObject({ kind: 'index', children: ['http://a/1.xml', 'http://a/2.xml'] });
  });

  it('returns the page and the date of the last change of each feed entry', async () => {
    const atom = `<feed><link href="http://a/"/><entry><link rel="edit" href="http://a/e"/><link href="http://a/1"/><published>2026-01-01T00:00:00Z</published><updated>2026-01-02T00:00:00Z</updated></entry></feed>`;
    const rss = `<rss><channel><item><guid isPermaLink="true">http://a/2</guid><pubDate>Thu, 01 Jan 2026 10:00:00 GMT</pubDate></item></channel></rss>`;
    expect((await parse(atom)).entries).toEqual([['http://a/1', '2026-01-02T00:00:00.000Z']]);
    expect((await parse(rss)).entries).toEqual([['http://a/2', '2026-01-01T10:00:00.000Z']]);
  });

  it('returns the URLs of a text file with one URL per line', async () => {
    expect(await parse('\ufeffhttp://a/1\r\nhttp://a/2\r\n# not one\n')).toMatchObject({
      kind: 'text',
      entries: [
        ['http://a/1', ''],
        ['http://a/2', ''],
      ],
      error: expect.stringContaining('1 lines are not URLs'),
    });
  });

  it('returns kind page for HTML and kind unknown for an empty or unknown file', async () => {
    expect((await parse('<!DOCTYPE html><html><body>404</body></html>')).kind).toBe('page');
    expect((await parse('')).kind).toBe('unknown');
    expect((await parse('{"error":"not found"}')).kind).toBe('unknown');
    expect((await parse('<a><b/></a>')).kind).toBe('unknown');
  });
});

describe('parseDocument of arbitrary bytes', () => {
  it('ends and never throws', async () => {
    const pieces = fc.constantFrom(
      '<urlset>',
      '<url>',
      '<loc>',
      'http://a/',
      '&',
      '&amp;',
      ']]>',
      '<![CDATA[',
      '</loc>',
      '</url>',
      '<!DOCTYPE ',
      '<?xml',
      '"',
      '\ufeff',
      '\0',
      '</',
      '>',
    );
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
      fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }).map((parts) => Buffer.from(parts.join(''))),
    );
    const packed = fc.boolean();
    await fc.assert(
      fc.asyncProperty(content, packed, async (bytes, isPacked) => {
        await parse(isPacked ? gzipSync(bytes).subarray(0, 400) : bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('returns the same result for any chunk size', async () => {
    const text = urlset(
      '<url><loc>http://a/?x=1&y=é&amp;z</loc></url><url><loc><![CDATA[http://a/?p&q]]></loc></url>'.repeat(20),
    );
    const whole = await parse(text);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (chunk) => {
        expect(await parse(text, { chunk })).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});
