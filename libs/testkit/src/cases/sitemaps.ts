import { gzipSync } from 'node:zlib';
import type { RuleCases } from './rule-cases.ts';

/** A sitemap, an index or a feed, and what it lists. */
export interface SitemapCase {
  readonly title: string;
  readonly content: string | Uint8Array;
  readonly kind: 'sitemap' | 'index' | 'feed' | 'text' | 'page' | 'unknown';
  /** Addresses of entries, or of the files of an index, resolved against http://base.example/. */
  readonly urls: readonly string[];
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NS = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const urlset = (inner: string, attributes = `xmlns="${NS}"`): string => `${XML}<urlset ${attributes}>${inner}</urlset>`;
const url = (path: string, more = ''): string => `<url><loc>http://a.example/${path}</loc>${more}</url>`;
const at = (...paths: readonly string[]): string[] => paths.map((path) => `http://a.example/${path}`);
const rss = (items: string, attributes = 'version="2.0"'): string =>
  `${XML}<rss ${attributes}><channel><title>T</title><link>http://a.example/</link>${items}</channel></rss>`;
const atom = (entries: string, attributes = ''): string =>
  `${XML}<feed xmlns="http://www.w3.org/2005/Atom"${attributes}><title>T</title><link href="http://a.example/"/>${entries}</feed>`;
const rdf = (items: string): string =>
  `${XML}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="http://a.example/"><link>http://a.example/</link></channel>${items}</rdf:RDF>`;

const one = (
  kind: SitemapCase['kind'],
  title: string,
  content: string | Uint8Array,
  ...urls: readonly string[]
): SitemapCase => ({ kind, title, content, urls });
const sitemap = (title: string, content: string | Uint8Array, ...paths: readonly string[]): SitemapCase =>
  one('sitemap', title, content, ...at(...paths));
const feed = (title: string, content: string | Uint8Array, ...paths: readonly string[]): SitemapCase =>
  one('feed', title, content, ...at(...paths));
const utf16 = (text: string, isLittleEndian: boolean): Uint8Array => {
  const bytes = Buffer.from(text, 'utf16le');
  return isLittleEndian ? bytes : bytes.swap16();
};

/** Sitemaps and feeds by rule. */
export const SITEMAPS: readonly RuleCases<SitemapCase>[] = [
  {
    rule: 'a urlset lists a page with each loc',
    source: 'sitemaps.org, XML tag definitions',
    cases: [
      sitemap('one page', urlset(url('1')), '1'),
      sitemap('two pages', urlset(url('1') + url('2')), '1', '2'),
      sitemap(
        'all optional elements',
        urlset(url('1', '<lastmod>2026-01-02</lastmod><changefreq>daily</changefreq><priority>0.5</priority>')),
        '1',
      ),
      sitemap(
        'optional elements before loc',
        urlset('<url><lastmod>2026-01-02</lastmod><loc>http://a.example/1</loc></url>'),
        '1',
      ),
      sitemap(
        'white space around the address',
        urlset('<url>\n  <loc>\n    http://a.example/1\n  </loc>\n</url>'),
        '1',
      ),
      sitemap('escaped characters', urlset(url('?a=1&amp;b=2&#38;c=&apos;&quot;&gt;')), '?a=1&b=2&c=%27%22%3E'),
      sitemap('characters outside ASCII', urlset(url('\u00e9\u6f22')), '%C3%A9%E6%BC%A2'),
      sitemap('a CDATA section', urlset('<url><loc><![CDATA[http://a.example/?a=1&b=2]]></loc></url>'), '?a=1&b=2'),
      sitemap('a comment', urlset(`<!-- <url><loc>http://a.example/0</loc></url> -->${url('1')}`), '1'),
      sitemap(
        'a processing instruction',
        `${XML}<?xml-stylesheet type="text/xsl" href="/a.xsl"?><urlset>${url('1')}</urlset>`,
        '1',
      ),
      sitemap('a document type', `${XML}<!DOCTYPE urlset><urlset>${url('1')}</urlset>`, '1'),
      sitemap('no pages', urlset('')),
      sitemap('a page without loc', urlset(`<url><lastmod>2026-01-02</lastmod></url>${url('1')}`), '1'),
      sitemap('an empty loc', urlset(`<url><loc></loc></url>${url('1')}`), '1'),
      sitemap('a closed loc', urlset(`<url><loc/></url>${url('1')}`), '1'),
      sitemap(
        'a hundred pages',
        urlset(Array.from({ length: 100 }, (_, n) => url(String(n))).join('')),
        ...Array.from({ length: 100 }, (_, n) => String(n)),
      ),
    ],
  },
  {
    rule: 'namespaces and extensions change no entry',
    source: 'sitemaps.org, extending the protocol; Google Search Central, sitemap extensions',
    cases: [
      sitemap('no namespace', urlset(url('1'), ''), '1'),
      sitemap('a wrong namespace', urlset(url('1'), 'xmlns="http://www.example.com/wrong"'), '1'),
      sitemap('an older namespace', urlset(url('1'), 'xmlns="http://www.google.com/schemas/sitemap/0.84"'), '1'),
      sitemap(
        'a prefix',
        `${XML}<s:urlset xmlns:s="${NS}"><s:url><s:loc>http://a.example/1</s:loc></s:url></s:urlset>`,
        '1',
      ),
      sitemap(
        'a schema location',
        urlset(
          url('1'),
          `xmlns="${NS}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${NS} ${NS}/sitemap.xsd"`,
        ),
        '1',
      ),
      sitemap(
        'images',
        urlset(
          url(
            '1',
            '<image:image><image:loc>http://a.example/i.png</image:loc><image:title>T</image:title></image:image>',
          ),
        ),
        '1',
      ),
      sitemap(
        'videos',
        urlset(
          url(
            '1',
            '<video:video><video:content_loc>http://a.example/v.mp4</video:content_loc><video:player_loc>http://a.example/p</video:player_loc></video:video>',
          ),
        ),
        '1',
      ),
      sitemap(
        'news',
        urlset(
          url(
            '1',
            '<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:title>T</news:title></news:news>',
          ),
        ),
        '1',
      ),
      sitemap(
        'languages',
        urlset(url('1', '<xhtml:link rel="alternate" hreflang="de" href="http://a.example/de"/>')),
        '1',
      ),
      sitemap('mobile', urlset(url('1', '<mobile:mobile/>')), '1'),
      sitemap(
        'page maps',
        urlset(
          url(
            '1',
            '<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0"><DataObject type="d"><Attribute name="n">v</Attribute></DataObject></PageMap>',
          ),
        ),
        '1',
      ),
      sitemap('an unknown element around a page', urlset(`<x>${url('0')}</x>${url('1')}`), '0', '1'),
    ],
  },
  {
    rule: 'an index lists files',
    source: 'sitemaps.org, sitemap index files',
    cases: [
      one(
        'index',
        'two files',
        `${XML}<sitemapindex xmlns="${NS}"><sitemap><loc>http://a.example/1.xml</loc><lastmod>2026-01-02</lastmod></sitemap><sitemap><loc>http://a.example/2.xml.gz</loc></sitemap></sitemapindex>`,
        ...at('1.xml', '2.xml.gz'),
      ),
      one(
        'index',
        'files without loc',
        '<sitemapindex><sitemap>\nhttp://a.example/1.xml\n</sitemap></sitemapindex>',
        ...at('1.xml'),
      ),
      one('index', 'no files', '<sitemapindex/>'),
      one(
        'index',
        'a prefix',
        `<s:sitemapindex xmlns:s="${NS}"><s:sitemap><s:loc>http://a.example/1.xml</s:loc></s:sitemap></s:sitemapindex>`,
        ...at('1.xml'),
      ),
      one(
        'index',
        'a CDATA section',
        '<sitemapindex><sitemap><loc><![CDATA[http://a.example/1.xml?a&b]]></loc></sitemap></sitemapindex>',
        ...at('1.xml?a&b'),
      ),
    ],
  },
  {
    rule: 'a text file lists an address a line',
    source: 'sitemaps.org, other formats',
    cases: [
      one('text', 'two lines', 'http://a.example/1\nhttp://a.example/2\n', ...at('1', '2')),
      one('text', 'lines of Windows', 'http://a.example/1\r\nhttp://a.example/2\r\n', ...at('1', '2')),
      one('text', 'lines of old Macs', 'http://a.example/1\rhttp://a.example/2', ...at('1', '2')),
      one('text', 'a byte order mark', '\ufeffhttp://a.example/1\nhttp://a.example/2', ...at('1', '2')),
      one('text', 'white space and empty lines', '\n\n  http://a.example/1  \n\n\thttp://a.example/2', ...at('1', '2')),
      one('text', 'https', 'https://a.example/1', 'https://a.example/1'),
      one(
        'text',
        'lines that are no address',
        'http://a.example/1\nhello\nftp://a.example/2\nhttp://a.example/3',
        ...at('1', '3'),
      ),
      one('text', 'compressed', gzipSync('http://a.example/1\nhttp://a.example/2'), ...at('1', '2')),
      one('unknown', 'no address', 'hello\nworld'),
      one('unknown', 'nothing', ''),
      one('unknown', 'white space', ' \n\t\r\n'),
    ],
  },
  {
    rule: 'a file may be compressed, and its encoding is declared or marked',
    source: 'RFC 1952; XML 1.0 appendix F',
    cases: [
      sitemap('gzip', gzipSync(urlset(url('1'))), '1'),
      sitemap('gzip twice', gzipSync(gzipSync(urlset(url('1')))), '1'),
      sitemap(
        'gzip in two members',
        Buffer.concat([gzipSync(`${XML}<urlset>`), gzipSync(`${url('1')}</urlset>`)]),
        '1',
      ),
      sitemap('a byte order mark', `\ufeff${urlset(url('1'))}`, '1'),
      sitemap(
        'UTF-16 with a mark, little endian',
        utf16(`\ufeff${urlset(url('\u00e9')).replace('UTF-8', 'UTF-16')}`, true),
        '%C3%A9',
      ),
      sitemap(
        'UTF-16 with a mark, big endian',
        utf16(`\ufeff${urlset(url('\u00e9')).replace('UTF-8', 'UTF-16')}`, false),
        '%C3%A9',
      ),
      sitemap('ISO-8859-1', Buffer.from(urlset(url('\u00e9')).replace('UTF-8', 'ISO-8859-1'), 'latin1'), '%C3%A9'),
      sitemap('windows-1252', Buffer.from(urlset(url('\u00fc')).replace('UTF-8', 'windows-1252'), 'latin1'), '%C3%BC'),
      sitemap('an unknown encoding', urlset(url('1')).replace('UTF-8', 'x-none'), '1'),
      sitemap('no declaration', `<urlset>${url('1')}</urlset>`, '1'),
      sitemap('white space before the declaration', `\n  ${urlset(url('1'))}`, '1'),
    ],
  },
  {
    rule: 'a broken file gives what could be read',
    source: 'XML 1.0 1.2, fatal errors; recovery as crawlers do',
    cases: [
      sitemap('an ampersand', urlset(url('?a=1&b=2')), '?a=1&b=2'),
      sitemap('an ampersand before a letter', urlset(url('?a&copy=2')), '?a&copy=2'),
      sitemap('an end inside an address', `<urlset>${url('1')}<url><loc>http://a.example/2`, '1'),
      sitemap('an end inside a tag', `<urlset>${url('1')}<url><lo`, '1'),
      sitemap('no end', `<urlset>${url('1')}${url('2')}`, '1', '2'),
      sitemap('text after the end', `${urlset(url('1'))}\n<!-- made by x -->\n`, '1'),
      sitemap('text between pages', urlset(`${url('1')} and ${url('2')}`), '1', '2'),
      sitemap('an attribute without quotes', urlset(url('1'), 'xmlns=x'), '1'),
      sitemap('an empty address list', '<urlset/>'),
    ],
  },
  {
    rule: 'an item of RSS is a page with a link, else with a permanent guid',
    source: 'RSS 2.0, elements of item',
    cases: [
      feed('a link', rss('<item><title>T</title><link>http://a.example/1</link></item>'), '1'),
      feed(
        'two items',
        rss('<item><link>http://a.example/1</link></item><item><link>http://a.example/2</link></item>'),
        '1',
        '2',
      ),
      feed(
        'a link and a guid',
        rss('<item><link>http://a.example/1</link><guid>http://a.example/g</guid></item>'),
        '1',
      ),
      feed(
        'a guid before the link',
        rss('<item><guid isPermaLink="true">http://a.example/g</guid><link>http://a.example/1</link></item>'),
        '1',
      ),
      feed('a guid alone', rss('<item><guid>http://a.example/1</guid></item>'), '1'),
      feed(
        'a guid that is a permanent link',
        rss('<item><guid isPermaLink="true">http://a.example/1</guid></item>'),
        '1',
      ),
      feed('a guid that is no link', rss('<item><guid isPermaLink="false">http://a.example/1</guid></item>')),
      feed('a guid that is no address', rss('<item><guid>tag:a.example,2026:1</guid></item>')),
      feed('a link in CDATA', rss('<item><link><![CDATA[http://a.example/?a=1&b=2]]></link></item>'), '?a=1&b=2'),
      feed('white space around a link', rss('<item><link>\n http://a.example/1\n</link></item>'), '1'),
      feed(
        'a link of Atom beside it',
        rss(
          '<item><atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="self" href="http://a.example/self"/><link>http://a.example/1</link></item>',
        ),
        '1',
      ),
      feed(
        'content with markup',
        rss(
          '<item><link>http://a.example/1</link><description>&lt;a href="http://a.example/0"&gt;x&lt;/a&gt;</description><content:encoded><![CDATA[<a href="http://a.example/0">x</a>]]></content:encoded></item>',
        ),
        '1',
      ),
      feed(
        'an enclosure',
        rss(
          '<item><link>http://a.example/1</link><enclosure url="http://a.example/a.mp3" length="1" type="audio/mpeg"/></item>',
        ),
        '1',
      ),
      feed('version 0.91', rss('<item><link>http://a.example/1</link></item>', 'version="0.91"'), '1'),
      feed('no items', rss('')),
      feed('an item without a link', rss('<item><title>T</title></item>')),
      feed(
        'a relative link',
        rss('<item><link>/1</link></item>').replace('<rss ', '<rss xml:base="http://a.example/x/" '),
        '1',
      ),
    ],
  },
  {
    rule: 'an item of RDF is a page with a link, else with its name',
    source: 'RSS 1.0 5.5',
    cases: [
      feed('a link', rdf('<item rdf:about="http://a.example/0"><link>http://a.example/1</link></item>'), '1'),
      feed('a name alone', rdf('<item rdf:about="http://a.example/1"><title>T</title></item>'), '1'),
      feed(
        'a date',
        rdf(
          '<item rdf:about="http://a.example/1"><link>http://a.example/1</link><dc:date>2026-01-02T03:04:05Z</dc:date></item>',
        ),
        '1',
      ),
    ],
  },
  {
    rule: 'an entry of Atom is a page with its alternate link',
    source: 'RFC 4287 4.2.7',
    cases: [
      feed('a link without rel', atom('<entry><link href="http://a.example/1"/></entry>'), '1'),
      feed('an alternate link', atom('<entry><link rel="alternate" href="http://a.example/1"/></entry>'), '1'),
      feed(
        'an alternate link after others',
        atom(
          '<entry><link rel="self" href="http://a.example/s"/><link rel="edit" href="http://a.example/e"/><link rel="alternate" type="text/html" href="http://a.example/1"/></entry>',
        ),
        '1',
      ),
      feed(
        'two alternate links',
        atom('<entry><link href="http://a.example/1"/><link href="http://a.example/2"/></entry>'),
        '1',
      ),
      feed('an enclosure alone', atom('<entry><link rel="enclosure" href="http://a.example/a.mp3"/></entry>')),
      feed('an id that is an address', atom('<entry><id>http://a.example/1</id></entry>')),
      feed(
        'two entries',
        atom('<entry><link href="http://a.example/1"/></entry><entry><link href="http://a.example/2"/></entry>'),
        '1',
        '2',
      ),
      feed('a base', atom('<entry><link href="1"/></entry>', ' xml:base="http://a.example/"'), '1'),
      feed(
        'a base of the entry',
        atom('<entry xml:base="b/"><link href="1"/></entry>', ' xml:base="http://a.example/"'),
        'b/1',
      ),
      feed(
        'content with links',
        atom(
          '<entry><link href="http://a.example/1"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><a href="http://a.example/0">x</a></div></content></entry>',
        ),
        '1',
      ),
      feed(
        'a prefix',
        `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:link href="http://a.example/1"/></a:entry></a:feed>`,
        '1',
      ),
      feed(
        'version 0.3',
        '<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><link rel="alternate" type="text/html" href="http://a.example/1"/></entry></feed>',
        '1',
      ),
      feed('no entries', atom('')),
    ],
  },
  {
    rule: 'an item of a JSON feed is a page with its url',
    source: 'JSON Feed 1.1, items',
    cases: [
      feed(
        'a url',
        '{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","url":"http://a.example/1"}]}',
        '1',
      ),
      feed('an id that is an address', '{"items":[{"id":"http://a.example/1"}]}', '1'),
      feed('an external url', '{"items":[{"id":"1","external_url":"http://a.example/1"}]}', '1'),
      feed('an item without an address', '{"items":[{"id":"1"},{"url":"http://a.example/2"}]}', '2'),
      feed('items of other types', '{"items":[null,1,"a",[],{"url":1},{"url":"http://a.example/2"}]}', '2'),
      feed('no items', '{"items":[]}'),
      one('unknown', 'another object', '{"error":"not found"}'),
      one('unknown', 'a broken object', '{"items":['),
    ],
  },
  {
    rule: 'other documents are no sitemap',
    source: 'sitemaps.org; HTML 13.1',
    cases: [
      one('page', 'a page', '<!doctype html><html><body><a href="http://a.example/1">x</a></body></html>'),
      one('page', 'a page without a document type', '<html><head><title>404</title></head></html>'),
      one('unknown', 'another XML document', '<note><to>a</to></note>'),
      one('unknown', 'a picture', '<svg xmlns="http://www.w3.org/2000/svg"><a href="http://a.example/1"/></svg>'),
      one('unknown', 'bytes', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0])),
    ],
  },
];

/** A document with an internal subset of its document type. */
const declared = (declarations: string, root: string, name = 'urlset'): string =>
  `${XML}<!DOCTYPE ${name} [${declarations}]>${root}`;
const entityPage = (entity: string): string => `<urlset><url><loc>http://a.example/&${entity};</loc></url></urlset>`;
const nested = (levels: number, factor: number): string =>
  [
    '<!ENTITY a0 "aaaaaaaaaa">',
    ...Array.from({ length: levels }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(factor)}">`),
  ].join('');

/**
 * XML documents that attack their parser, with the URLs that a parser without entities reads. Every external reference is to a file of the
 * machine or to http://127.0.0.1:80/.
 */
export const HOSTILE_XML: readonly RuleCases<readonly [title: string, xml: string]>[] = [
  {
    rule: 'entities are not expanded',
    source: 'CWE-776; XML 1.0 4.4',
    cases: [
      ['entities of entities, a thousand million times', declared(nested(9, 10), entityPage('a9'))],
      ['entities of entities, two at a time', declared(nested(30, 2), entityPage('a30'))],
      [
        'one long entity, many times',
        declared(
          `<!ENTITY a "${'a'.repeat(50_000)}">`,
          `<urlset><url><loc>http://a.example/${'&a;'.repeat(5_000)}</loc></url></urlset>`,
        ),
      ],
      ['an entity of itself', declared('<!ENTITY a "&a;">', entityPage('a'))],
      ['two entities of each other', declared('<!ENTITY a "&b;"><!ENTITY b "&a;">', entityPage('a'))],
      ['an entity in an attribute', declared(nested(9, 10), '<urlset a="&a9;"/>')],
      [
        'parameter entities',
        declared(
          '<!ENTITY % a "aaaaaaaaaa"><!ENTITY % b "%a;%a;%a;%a;"><!ENTITY % c "%b;%b;%b;%b;">%c;',
          entityPage('c'),
        ),
      ],
      ['a default attribute', declared(`${nested(9, 10)}<!ATTLIST urlset a CDATA "&a9;">`, '<urlset/>')],
      [
        'in a feed',
        declared(nested(9, 10), '<rss><channel><item><link>http://a.example/&a9;</link></item></channel></rss>', 'rss'),
      ],
      ['an unknown entity', `<urlset><url><loc>http://a.example/&unknown;</loc></url></urlset>`],
      ['a character outside XML', '<urlset><url><loc>http://a.example/&#0;&#xFFFFFF;&#x110000;</loc></url></urlset>'],
    ],
  },
  {
    rule: 'external entities are not fetched',
    source: 'CWE-611; OWASP XXE prevention',
    cases: [
      ['a file', declared('<!ENTITY a SYSTEM "file:///etc/passwd">', entityPage('a'))],
      ['a file of Windows', declared('<!ENTITY a SYSTEM "file:///c:/windows/win.ini">', entityPage('a'))],
      ['a server', declared('<!ENTITY a SYSTEM "http://127.0.0.1:80/a">', entityPage('a'))],
      ['a public identifier', declared('<!ENTITY a PUBLIC "-//A//B" "http://127.0.0.1:80/a">', entityPage('a'))],
      ['a parameter entity', declared('<!ENTITY % a SYSTEM "http://127.0.0.1:80/a.dtd">%a;', entityPage('b'))],
      [
        'a parameter entity that sends a file',
        declared(
          '<!ENTITY % f SYSTEM "file:///etc/hostname"><!ENTITY % e "<!ENTITY &#x25; s SYSTEM \'http://127.0.0.1:80/?%f;\'>">%e;%s;',
          '<urlset/>',
        ),
      ],
      [
        'an external document type',
        `${XML}<!DOCTYPE urlset SYSTEM "http://127.0.0.1:80/a.dtd"><urlset>${url('1')}</urlset>`,
      ],
      [
        'a public document type',
        `${XML}<!DOCTYPE urlset PUBLIC "-//A//B" "http://127.0.0.1:80/a.dtd"><urlset>${url('1')}</urlset>`,
      ],
      [
        'a local document type',
        declared('<!ENTITY % l SYSTEM "file:///usr/share/xml/fontconfig/fonts.dtd"><!ENTITY % e "x">%l;', '<urlset/>'),
      ],
      [
        'an unparsed entity',
        declared(
          '<!NOTATION n SYSTEM "http://127.0.0.1:80/n"><!ENTITY a SYSTEM "http://127.0.0.1:80/a.gif" NDATA n>',
          '<urlset/>',
        ),
      ],
      [
        'other schemes',
        declared(
          '<!ENTITY a SYSTEM "ftp://127.0.0.1:80/a"><!ENTITY b SYSTEM "gopher://127.0.0.1:80/_a"><!ENTITY c SYSTEM "php://filter/read=convert.base64-encode/resource=/etc/passwd"><!ENTITY d SYSTEM "expect://id"><!ENTITY e SYSTEM "jar:http://127.0.0.1:80/a!/b">',
          '<urlset><url><loc>http://a.example/&a;&b;&c;&d;&e;</loc></url></urlset>',
        ),
      ],
      [
        'an XInclude',
        `${XML}<urlset xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd" parse="text"/><xi:include href="http://127.0.0.1:80/a"/>${url('1')}</urlset>`,
      ],
      [
        'a schema location',
        urlset(
          url('1'),
          'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://127.0.0.1:80/a.xsd"',
        ),
      ],
      [
        'a style sheet',
        `${XML}<?xml-stylesheet type="text/xsl" href="http://127.0.0.1:80/a.xsl"?><urlset>${url('1')}</urlset>`,
      ],
      [
        'a style sheet that reads a file',
        `${XML}<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><xsl:copy-of select="document('file:///etc/passwd')"/></xsl:template></xsl:stylesheet>`,
      ],
      [
        'a feed',
        declared(
          '<!ENTITY a SYSTEM "file:///etc/passwd">',
          '<rss><channel><item><title>&a;</title><link>http://a.example/&a;</link></item></channel></rss>',
          'rss',
        ),
      ],
      [
        'a picture',
        declared(
          '<!ENTITY a SYSTEM "file:///etc/passwd">',
          '<svg xmlns="http://www.w3.org/2000/svg"><text>&a;</text><image href="http://127.0.0.1:80/a.png"/></svg>',
          'svg',
        ),
      ],
      [
        'a picture with a script',
        '<svg xmlns="http://www.w3.org/2000/svg" onload="fetch(\'http://127.0.0.1:80/\')"><script>fetch("http://127.0.0.1:80/")</script><foreignObject><iframe src="http://127.0.0.1:80/"/></foreignObject><use href="http://127.0.0.1:80/a.svg#a"/></svg>',
      ],
      [
        'an XHTML page',
        declared(
          '<!ENTITY a SYSTEM "file:///etc/passwd">',
          '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>&a;</p><script>fetch("http://127.0.0.1:80/")</script></body></html>',
          'html',
        ),
      ],
      [
        'UTF-16 against a filter of words',
        Buffer.from(declared('<!ENTITY a SYSTEM "file:///etc/passwd">', entityPage('a')), 'utf16le').toString('latin1'),
      ],
      [
        'UTF-7 against a filter of words',
        '<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE urlset +AFsAPAAh-ENTITY a SYSTEM +ACI-file:///etc/passwd+ACIAPgBdAD4-<urlset><url><loc>http://a.example/+ACY-a;</loc></url></urlset>',
      ],
    ],
  },
  {
    rule: 'the cost of a document is bounded',
    source: 'CWE-400',
    cases: [
      ['deep elements', `<urlset>${'<a>'.repeat(50_000)}${'</a>'.repeat(50_000)}</urlset>`],
      ['a long element name', `<urlset><${'a'.repeat(1_000_000)}/></urlset>`],
      ['a long attribute', `<urlset a="${'a'.repeat(1_000_000)}"/>`],
      ['many attributes', `<urlset ${Array.from({ length: 20_000 }, (_, n) => `a${n}="b"`).join(' ')}/>`],
      ['many namespaces', `<urlset ${Array.from({ length: 10_000 }, (_, n) => `xmlns:a${n}="b${n}"`).join(' ')}/>`],
      ['a comment without end', `<urlset><!--${'-'.repeat(500_000)}`],
      ['a CDATA section without end', `<urlset><url><loc><![CDATA[${']'.repeat(500_000)}`],
      ['a document type without end', `<!DOCTYPE urlset [${'<!ENTITY a "b">'.repeat(20_000)}`],
      ['a processing instruction without end', `<?xml ${'?'.repeat(500_000)}`],
      ['many short pages', urlset('<url><loc>a</loc></url>'.repeat(20_000))],
      ['many open tags', '<urlset>'.repeat(30_000)],
      ['many end tags', `<urlset>${'</url>'.repeat(50_000)}`],
      ['brackets in an attribute', `<urlset a="${'<'.repeat(100_000)}"/>`],
    ],
  },
];
