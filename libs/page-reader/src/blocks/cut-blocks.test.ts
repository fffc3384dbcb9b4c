import { describe, expect, it } from '@jest/globals';
import { BlockKind, Landmark } from '@tidemark/contracts/page/v1/blocks';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { cut, PROSE, textsOf } from '../../test/cut-html.ts';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

describe('cutBlocks', () => {
  it('returns the texts in reading order, cut where block-level elements start and end', () => {
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

  it('assigns landmarks by markup, or by the names sites use', () => {
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

  it('assigns each block to the nearest heading above it in the same landmark', () => {
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

  it('keeps anchors through a rebuild by omitting hashed names, state and numbers', () => {
    const of = (html: string) => cut(html).anchors;
    expect(of('<div class="card css-1x2y3z is-open" id="post-1234"><p class="Text_body__a1B2c">x</p></div>')).toEqual([
      'div.card>p.Text_body',
    ]);
    expect(of('<div class="card css-9q8w7e" id="post-99"><p class="Text_body__Zz9Yy">x</p></div>')).toEqual([
      'div.card>p.Text_body',
    ]);
  });

  it('omits hidden parts, machine-readable parts and overlays', () => {
    expect(
      textsOf(`<p>seen</p><p hidden>h</p><p style="display:none">d</p><p aria-hidden="true">a</p><script>s</script><style>s</style>
        <template>t</template><input type="hidden" value="token"><div id="onetrust-consent-sdk">We use cookies</div><noscript>n</noscript>`),
    ).toEqual(['seen']);
  });

  it('keeps aria-hidden symbols inside a line', () => {
    expect(textsOf('<h2>What is it? <span aria-hidden="true">#</span></h2>')).toEqual(['What is it? #']);
  });

  it('adds blocks for images, players and controls, with the text a visitor sees', () => {
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

  it('records link targets without tracking parameters', () => {
    const { blocks } = cut(
      '<p><a href="../b?utm_source=x&q=1#top">b</a><a href="#here">here</a><a href="javascript:x()">j</a></p>',
    );
    expect(blocks).toMatchObject([{ text: 'b here j', links: ['https://example.com/b?q=1'] }]);
  });

  it('records the text of each link that is a part of its block', () => {
    const { blocks } = cut(
      '<p>Read <a href="/a">the terms</a> or <a href="/b">the prices</a>.</p><p><a href="/c">All</a></p>',
    );
    expect(blocks.map(({ links, linkTexts }) => [links.length, linkTexts])).toEqual([
      [2, ['the terms', 'the prices']],
      [1, []],
    ]);
  });

  it('adds no block for bullets, separators and images without alternative text', () => {
    expect(
      textsOf('<p>one</p><p> | </p><li>•</li><img src="/border.png" alt=""><img src="/b.png"><pre>{</pre><p>✓</p>'),
    ).toEqual(['one', '{', '✓']);
  });

  it('names a player without a title by its URL', () => {
    expect(textsOf('<iframe src="https://video.example/v/1?t=5"></iframe>')).toEqual(['video.example/v/1']);
  });

  it('omits what the content filters remove: an excluded frame, and a box of other pages inside the content', () => {
    const html = `<main>${PROSE}<div id="onetrust-consent-sdk"><p>We use cookies</p><iframe src="https://a.example/x" title="Notice"></iframe></div></main>`;
    expect(cut(html).blocks.some(({ text }) => text === 'Notice')).toBe(false);
    const { blocks = [] } =
      readPage({
        html: `<main>${PROSE}${PROSE}<div class="newsletter-signup"><p>Subscribe to our newsletter today</p><a href="/s">Sign up</a></div></main>`,
        url: 'https://example.com/',
        content: USUAL_CONTENT,
        outputs: new Set(['markdown']),
        cut: { volatileSelectors: [] },
      }).blocks ?? {};
    const box = blocks.filter(({ text }) => /newsletter|Sign up/.test(text));
    expect(box.every(({ landmark }) => landmark !== Landmark.LANDMARK_MAIN)).toBe(true);
  });

  it('returns only the requested elements if selectors choose them, all as content', () => {
    const { blocks } = cut('<p>a</p><footer><p class="x">b</p></footer><p>c</p>', '.x');
    expect(blocks).toMatchObject([{ text: 'b', landmark: Landmark.LANDMARK_MAIN }]);
  });

  it('returns the blocks of a cell if a cell is requested', () => {
    const { blocks } = cut('<table><tr><td>Oak<td class="price">12</table>', '.price');
    expect(blocks).toMatchObject([{ text: '12' }]);
  });

  it('marks blocks of set-aside elements: part of a line, a cell, an image, and everything inside', () => {
    const { blocks } = cut(
      `<p>Seen <b class="v">9</b> times <img class="v" src="/spin.png" alt="Now"></p><img src="/oak.png" alt="Oak">
       <table><tr><td>Oak<td class="v">12</table><div class="v"><p>More</p><i aria-hidden="true">✓</i></div>`,
      undefined,
      '.v',
    );
    expect(blocks.map(({ text, isVolatile = false }) => [text, isVolatile])).toEqual([
      ['Seen', false],
      ['9', true],
      ['times', false],
      ['Now', true],
      ['Oak', false],
      ['Oak', false],
      ['12', true],
      ['More', true],
      ['✓', true],
    ]);
  });
});

describe('cutBlocks limits', () => {
  it('accepts any input and returns consistent references', () => {
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

  it('limits the number of blocks, characters per block, total characters, and links', () => {
    expect(cut('<p>x'.repeat(60_000)).blocks).toHaveLength(50_000);
    const long = cut(`<p>${'One sentence of some words. '.repeat(3_000)}`).blocks;
    expect(Math.max(...long.map(({ text }) => text.length))).toBeLessThanOrEqual(8_000);
    expect(long.map(({ text }) => text).join(' ')).toBe('One sentence of some words. '.repeat(3_000).trim());
    const links = cut(`<p>${Array.from({ length: 1_000 }, (_, at) => `<a href="/${at}">l</a>`).join('')}`).blocks[0]
      ?.links;
    expect(links).toHaveLength(200);
  });

  it('handles deep nesting of landmarks and headings', () => {
    const cpuMs = countCpuMs();
    cut('<header class="nav footer"><section><h1>some title</h1>'.repeat(20_000));
    cut(`${'<div class="footer">'.repeat(510)}${'<i class="footer">x</i>'.repeat(50_000)}`);
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
