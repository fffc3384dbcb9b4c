import { describe, expect, it } from '@jest/globals';
import { BlockKind, Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import fc from 'fast-check';
import { Addresses } from '../address.ts';
import { applyFilters } from '../filters.ts';
import { readHead } from '../head.ts';
import { measurePage } from '../measure.ts';
import { parsePage } from '../parse-page.ts';
import { USUAL_CONTENT } from '../read-page.ts';
import { Selection } from '../select.ts';
import { contentHash } from './content-hash.ts';
import { cutBlocks } from './cut-blocks.ts';

function cut(html: string, within?: string): PageBlocks {
  const page = parsePage(html, true);
  measurePage(page);
  const addresses = new Addresses(page, 'https://example.com/a/page');
  const selection = new Selection(page);
  applyFilters(page, USUAL_CONTENT, selection);
  const roots = within === undefined ? undefined : selection.all(within, 'include_selectors');
  return cutBlocks({ page, addresses, head: readHead(page, addresses), within: roots });
}
const textsOf = (html: string): string[] => cut(html).blocks.map(({ text }) => text);
const hashOf = (html: string): string => contentHash(cut(html)).toString('hex');
const PROSE = `<p>${'Words that stand in the main part of the page. '.repeat(5)}</p>`;

describe('blocks of a page', () => {
  it('are its texts in the order they are read, cut where block-level elements begin and end', () => {
    expect(
      textsOf(`<h1>Title</h1> before <div>one <b>bold</b> word<p>two</p>three</div>
        <ul><li>item <ul><li>inner</li></ul></li></ul><dl><dt>term<dd>meaning</dl>
        <table><tr><th>Name<th>Age<tr><td>Ada<td>36</table>
        line<br>same line<br><br>next paragraph<pre>code\n  more\n\nsecond</pre><button>Send</button>`),
    ).toEqual([
      'Title',
      'before',
      'one bold word',
      'two',
      'three',
      'item',
      'inner',
      'term',
      'meaning',
      'Name | Age',
      'Ada | 36',
      'line same line',
      'next paragraph',
      'code more',
      'second',
      'Send',
    ]);
  });

  it('say in which part of the page they stand, as marked, or as sites call it', () => {
    const marked = cut(`<header>site</header><nav>menu</nav><div>beside</div>
      <main>${PROSE}<article><header><h1>The title</h1></header>text<footer>byline</footer></article><aside>more</aside></main><footer>end</footer>`);
    expect(marked.blocks.map(({ landmark }) => landmark)).toEqual([
      Landmark.LANDMARK_HEADER,
      Landmark.LANDMARK_NAV,
      Landmark.LANDMARK_OTHER,
      Landmark.LANDMARK_MAIN,
      Landmark.LANDMARK_MAIN,
      Landmark.LANDMARK_MAIN,
      Landmark.LANDMARK_MAIN,
      Landmark.LANDMARK_ASIDE,
      Landmark.LANDMARK_FOOTER,
    ]);
    const related = cut(
      `<main>${PROSE}<section class="related"><h2>Related</h2><a href="/b">Another page</a></section></main>`,
    );
    expect(related.blocks.map(({ landmark }) => landmark)).toEqual([
      Landmark.LANDMARK_MAIN,
      Landmark.LANDMARK_ASIDE,
      Landmark.LANDMARK_ASIDE,
    ]);
    const named = cut(`<div id="navbar"><a href="/">home</a></div>${PROSE}<div class="site-footer">end</div>`);
    expect(named.blocks.map(({ landmark }) => landmark)).toEqual([
      Landmark.LANDMARK_NAV,
      Landmark.LANDMARK_MAIN,
      Landmark.LANDMARK_FOOTER,
    ]);
  });

  it('stand under the nearest heading above, of their part of the page', () => {
    const { blocks, sections } = cut('<h1>A</h1>x<h2>B</h2>y<h3>C</h3>z<h2>D</h2><footer>end</footer>');
    expect(blocks.map(({ section, text }) => [text, sections[section - 1] ?? ''])).toEqual([
      ['A', ''],
      ['x', 'A'],
      ['B', 'A'],
      ['y', 'B'],
      ['C', 'B'],
      ['z', 'C'],
      ['D', 'A'],
      ['end', ''],
    ]);
  });

  it('keep their place in the markup through a build: hashed names, state and numbers are left out of it', () => {
    const of = (html: string) => cut(html).anchors;
    expect(of('<div class="card css-1x2y3z is-open" id="post-1234"><p class="Text_body__a1B2c">x</p></div>')).toEqual([
      'div.card>p.Text_body',
    ]);
    expect(of('<div class="card css-9q8w7e" id="post-99"><p class="Text_body__Zz9Yy">x</p></div>')).toEqual([
      'div.card>p.Text_body',
    ]);
  });

  it('leave out what is hidden, what only machines read, and what lies over the page', () => {
    expect(
      textsOf(`<p>seen</p><p hidden>h</p><p style="display:none">d</p><p aria-hidden="true">a</p><script>s</script><style>s</style>
        <template>t</template><input type="hidden" value="token"><div id="onetrust-consent-sdk">We use cookies</div><noscript>n</noscript>`),
    ).toEqual(['seen']);
  });

  it('keep signs inside a line, which only screen readers pass over', () => {
    expect(textsOf('<h2>What is it? <span aria-hidden="true">#</span></h2>')).toEqual(['What is it? #']);
  });

  it('hold pictures, players and controls, by what a reader is told of them', () => {
    const { blocks } =
      cut(`<img src="/i/chart.3f2a9c1d.png?w=640" alt="Sales"><iframe src="https://video.example/v/1?t=5" title="Talk"></iframe>
      <img src="/dot.gif" width="1" height="1"><input placeholder="Your name"><input type="submit" value="Go">`);
    expect(blocks.map(({ kind, text, links }) => [kind, text, links])).toEqual([
      [BlockKind.BLOCK_KIND_IMAGE, 'Sales', ['https://example.com/i/chart.3f2a9c1d.png']],
      [BlockKind.BLOCK_KIND_MEDIA, 'Talk', ['https://video.example/v/1']],
      [BlockKind.BLOCK_KIND_CONTROL, 'Your name', []],
      [BlockKind.BLOCK_KIND_CONTROL, 'Go', []],
    ]);
  });

  it('name where their links lead, without what says how a visitor came', () => {
    const { blocks } = cut(
      '<p><a href="../b?utm_source=x&q=1#top">b</a><a href="#here">here</a><a href="javascript:x()">j</a></p>',
    );
    expect(blocks).toMatchObject([{ text: 'b here j', links: ['https://example.com/b?q=1'] }]);
  });

  it('are only those asked for where selectors choose them, and then all are content', () => {
    const { blocks } = cut('<p>a</p><footer><p class="x">b</p></footer><p>c</p>', '.x');
    expect(blocks).toMatchObject([{ text: 'b', landmark: Landmark.LANDMARK_MAIN }]);
  });
});

describe('the hash of a page’s content', () => {
  const page = (body: string, rest = ''): string => `<nav>menu</nav><main>${PROSE}${body}</main>${rest}`;

  it.each([
    ['white space', '<p>one   two\n three</p>', '<p> one two three </p>'],
    ['the case of markup', '<P>one</P>', '<p>one</p>'],
    ['the order of attributes', '<p id="a" class="b">one</p>', '<p class="b" id="a">one</p>'],
    ['a tracking parameter', '<a href="/x?utm_source=1">one</a>', '<a href="/x?utm_source=2">one</a>'],
    ['a session id', '<a href="/x;jsessionid=AB12?y=1">one</a>', '<a href="/x?y=1">one</a>'],
    ['a picture’s build hash', '<img src="/a.3f2a9c1d.png">', '<img src="/b/a.77aa11bb.png?v=2">'],
    ['invisible characters', '<p>one\u200btwo\u00ad</p>', '<p>onetwo</p>'],
    ['another encoding of the same letters', '<p>caf\u00e9 ﬁne</p>', '<p>cafe\u0301 fine</p>'],
    [
      'an email shield',
      '<a href="/cdn-cgi/l/email-protection#1a2b">mail</a>',
      '<a href="/cdn-cgi/l/email-protection#9f8e">mail</a>',
    ],
  ])('does not see %s', (_, one, other) => {
    expect(hashOf(page(one))).toBe(hashOf(page(other)));
  });

  it('sees every word, every figure, the order of words and blocks, and where links lead', () => {
    const pages = [
      '<p>$19 one</p>',
      '<p>$91 one</p>',
      '<p>one $19</p>',
      '<p>$19</p><p>one</p>',
      '<p>one</p><p>$19</p>',
    ];
    const links = ['<a href="/a">one</a>', '<a href="/b">one</a>'];
    const hashes = [...pages, ...links].map((body) => hashOf(page(body)));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not see what stands around the content; where nothing is marked as content, all that is not around it counts', () => {
    expect(hashOf(page('<p>x</p>', '<footer>2025</footer>'))).toBe(hashOf(page('<p>x</p>', '<footer>2026</footer>')));
    expect(hashOf('<nav>a</nav><p>x</p>')).toBe(hashOf('<nav>b</nav><p>x</p>'));
    expect(hashOf('<nav>a</nav><p>x</p>')).not.toBe(hashOf('<nav>a</nav><p>y</p>'));
  });
});

describe('what the head says', () => {
  it('is compared without what a build or a visit adds to it', () => {
    const of = (head: string) => cut(`<head>${head}</head><h1>Name</h1><p>x</p>`).head;
    expect(
      of(`<title>A | Site</title><meta name="csrf-token" content="1"><meta name="robots" content="NOINDEX, follow">
        <link rel="canonical" href="/a?utm_source=x"><link rel="alternate" hreflang="FR" href="/fr"><link rel="alternate" hreflang="de" href="/de">
        <meta property="og:image" content="/og.VdC3GQqW.png?w=1"><script type="application/ld+json">{"@type":"Product"}</script>`),
    ).toEqual([
      { name: 'title', value: 'A | Site' },
      { name: 'canonical', value: 'https://example.com/a' },
      { name: 'robots', value: 'follow, noindex' },
      { name: 'hreflang', value: 'de https://example.com/de' },
      { name: 'hreflang', value: 'fr https://example.com/fr' },
      { name: 'h1', value: 'Name' },
      { name: 'og:image', value: '/og.png' },
      { name: 'json-ld', value: 'Product' },
    ]);
  });
});

describe('cutting', () => {
  it('takes anything, and what it names is there', () => {
    const piece = fc.constantFrom(
      ...'<p> <main> </main> <nav> <a href="/x"> </a> <table> <tr> <td> <li> <h2> </h2> <pre> \n\n <br> <img alt="x"> <b hidden> text 12 <div id="a"> </div>'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { blocks, sections, anchors } = cut(pieces.join(' '));
        for (const { text, links, hash, section, anchor } of blocks) {
          expect(text !== '' || links.length > 0).toBe(true);
          expect(hash).toHaveLength(8);
          expect(section).toBeLessThanOrEqual(sections.length);
          expect(anchor).toBeLessThanOrEqual(anchors.length);
        }
      }),
    );
  });

  it('is bounded: by blocks, by characters of a block and of all, by links', () => {
    expect(cut('<p>x'.repeat(60_000)).blocks).toHaveLength(50_000);
    const long = cut(`<p>${'One sentence of some words. '.repeat(3_000)}`).blocks;
    expect(Math.max(...long.map(({ text }) => text.length))).toBeLessThanOrEqual(8_000);
    expect(long.map(({ text }) => text).join(' ')).toBe('One sentence of some words. '.repeat(3_000).trim());
    const links = cut(`<p>${Array.from({ length: 1_000 }, (_, at) => `<a href="/${at}">l</a>`).join('')}`).blocks[0]
      ?.links;
    expect(links).toHaveLength(200);
  });

  it('takes deep nesting of parts and headings in its stride', () => {
    const start = performance.now();
    cut('<header class="nav footer"><section><h1>some title</h1>'.repeat(20_000));
    cut(`${'<div class="footer">'.repeat(510)}${'<i class="footer">x</i>'.repeat(50_000)}`);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
