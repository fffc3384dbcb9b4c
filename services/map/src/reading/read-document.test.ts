import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DocumentOutcome, readDocument } from './read-document.ts';

const MAX = 50 * 1024 * 1024;

interface Read extends DocumentOutcome {
  readonly entries: readonly (readonly string[])[];
  readonly children: readonly string[];
  readonly alternates: number;
}

async function read(content: string | Buffer, { max = MAX, chunk = 64 * 1024 } = {}): Promise<Read> {
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
  return { ...(await readDocument(Readable.from(chunks), sink, max)), entries, children, alternates };
}
const locs = async (content: string | Buffer): Promise<string[]> =>
  (await read(content)).entries.map(([loc = '']) => loc);
const urlset = (inner: string) => `<?xml version="1.0"?><urlset>${inner}</urlset>`;

describe('a sitemap', () => {
  it('is read whatever its namespaces are, and without them', async () => {
    for (const open of ['urlset', 'urlset xmlns="wrong"', 'sm:urlset xmlns:sm="x"']) {
      const name = open.startsWith('sm:') ? 'sm:' : '';
      const text = `<${open}><${name}url><${name}loc> http://a/1 </${name}loc></${name}url></${name}urlset>`;
      expect(await locs(text)).toEqual(['http://a/1']);
    }
  });

  it('tells of images, videos and other languages beside its addresses, not among them', async () => {
    const inner =
      '<url><loc>http://a/1</loc><xhtml:link rel="alternate" hreflang="de" href="http://a/de"/><image:image><image:loc>http://a/i.png</image:loc></image:image></url>';
    expect(await read(urlset(inner))).toMatchObject({ entries: [['http://a/1', '']], alternates: 2, error: undefined });
  });

  it('is told by its content, not by its name: packed once, twice, or not at all', async () => {
    const plain = urlset('<url><loc>http://a/1</loc></url>');
    for (const content of [plain, gzipSync(plain), gzipSync(gzipSync(plain))])
      expect(await locs(content)).toEqual(['http://a/1']);
  });

  it('is read in the charset its bytes say', async () => {
    const text = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><urlset><url><loc>http://a/é</loc></url></urlset>`;
    expect(await locs(Buffer.from(text('iso-8859-1'), 'latin1'))).toEqual(['http://a/é']);
    expect(await locs(Buffer.from(`\ufeff${text('utf-16')}`, 'utf16le'))).toEqual(['http://a/é']);
    expect(await locs(Buffer.from(text('utf-16'), 'utf16le'))).toEqual(['http://a/é']);
    expect(await locs(`\ufeff${text('UTF-8')}`)).toEqual(['http://a/é']);
    expect(await locs(text('no-such-charset'))).toEqual(['http://a/é']);
  });

  it('keeps ampersands that were not escaped, and those of CDATA as they are', async () => {
    const found = await read(
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
    expect(await locs(bomb)).toEqual(['http://a/&b;']);
    expect(await locs(outside)).toEqual(['http://a/&f;']);
  });

  it('cut off in the middle keeps its whole entries and says where it ends', async () => {
    const found = await read('<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/2');
    expect(found.entries).toEqual([['http://a/1', '']]);
    expect(found).toMatchObject({ kind: 'sitemap', error: expect.stringContaining('what could be read is kept') });
  });

  it('larger than the bound is read up to it', async () => {
    const found = await read(urlset('<url><loc>http://a/1</loc></url>'.repeat(1_000)), { max: 10_000, chunk: 1_000 });
    expect(found.entries.length).toBeGreaterThan(250);
    expect(found).toMatchObject({ bytes: 10_000, error: expect.stringContaining('larger than') });
  });

  it('nested without end, or with an element that never ends, is given up', async () => {
    expect((await read(`<urlset>${'<a>'.repeat(10_000)}`)).error).toContain('nested too deeply');
    expect((await read(`<urlset><url><loc>${'x'.repeat(3_000_000)}`)).error).toContain('goes on for megabytes');
  });
});

describe('other documents', () => {
  it('an index names files, even without a `loc` around them', async () => {
    const text =
      '<sitemapindex><sitemap><loc>http://a/1.xml</loc></sitemap><sitemap>\nhttp://a/2.xml\n</sitemap></sitemapindex>';
    expect(await read(text)).toMatchObject({ kind: 'index', children: ['http://a/1.xml', 'http://a/2.xml'] });
  });

  it('feeds give the page of each entry and the date of its last change', async () => {
    const atom = `<feed><link href="http://a/"/><entry><link rel="edit" href="http://a/e"/><link href="http://a/1"/><published>2026-01-01T00:00:00Z</published><updated>2026-01-02T00:00:00Z</updated></entry></feed>`;
    const rss = `<rss><channel><item><guid isPermaLink="true">http://a/2</guid><pubDate>Thu, 01 Jan 2026 10:00:00 GMT</pubDate></item></channel></rss>`;
    expect((await read(atom)).entries).toEqual([['http://a/1', '2026-01-02T00:00:00.000Z']]);
    expect((await read(rss)).entries).toEqual([['http://a/2', '2026-01-01T10:00:00.000Z']]);
  });

  it('a list of addresses is one a line', async () => {
    expect(await read('\ufeffhttp://a/1\r\nhttp://a/2\r\n# not one\n')).toMatchObject({
      kind: 'text',
      entries: [
        ['http://a/1', ''],
        ['http://a/2', ''],
      ],
      error: expect.stringContaining('1 of its lines'),
    });
  });

  it('a page, an empty file and anything else are no sitemaps', async () => {
    expect((await read('<!DOCTYPE html><html><body>404</body></html>')).kind).toBe('page');
    expect((await read('')).kind).toBe('unknown');
    expect((await read('{"error":"not found"}')).kind).toBe('unknown');
    expect((await read('<a><b/></a>')).kind).toBe('unknown');
  });
});

describe('whatever the bytes are', () => {
  it('reading ends and never throws', async () => {
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
        await read(isPacked ? gzipSync(bytes).subarray(0, 400) : bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('is read alike however it comes in pieces', async () => {
    const text = urlset(
      '<url><loc>http://a/?x=1&y=é&amp;z</loc></url><url><loc><![CDATA[http://a/?p&q]]></loc></url>'.repeat(20),
    );
    const whole = await read(text);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (chunk) => {
        expect(await read(text, { chunk })).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});
