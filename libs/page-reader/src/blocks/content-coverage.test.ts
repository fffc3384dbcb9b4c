import { describe, expect, it } from '@jest/globals';
import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import fc from 'fast-check';
import { GENERATED_OPTIONS, GENERATED_PAGE } from '../../test/generated-pages.ts';
import { missingWords } from '../../test/missing-words.ts';
import type { ContentOptions } from '../options/content-options.ts';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { type PageReading, readPage } from '../page/read-page.ts';

const PROSE = `<p>${'A sentence of the page, which says something about its subject. '.repeat(6)}</p>`;

const read = (html: string, content: Partial<ContentOptions> = {}): PageReading =>
  readPage({
    html,
    url: 'https://site.example/a',
    content: { ...USUAL_CONTENT, ...content },
    outputs: new Set(['text']),
    cut: { volatileSelectors: [] },
  });

/** Returns the words of the text that no block has, and whether the blocks have the others in order. */
function coverageOf(html: string, content?: Partial<ContentOptions>) {
  const { text = '', blocks } = read(html, content);
  const { missing, isInOrder } = missingWords(text, blocks?.blocks ?? []);
  return { html, missing, isInOrder };
}

/** Returns the words of the main content that no block of the content has: a change of them makes no entry. */
function uncountedIn(html: string): readonly string[] {
  const { text = '', blocks } = read(html);
  const content = (blocks?.blocks ?? []).filter(({ landmark }) => landmark === Landmark.LANDMARK_MAIN);
  return missingWords(text, content).missing;
}

const complete = (html: string) => ({ html, missing: [], isInOrder: true });

/** Markup that once made text and blocks differ, by what it is. `KEY` is in the text of the page. */
const PATTERNS: readonly (readonly [string, string])[] = [
  [
    'a tab panel that scripts hide from screen readers',
    `<div role="tabpanel" aria-hidden="true"><p>KEY</p>${PROSE}</div>`,
  ],
  [
    'a hidden tab panel with its tab',
    `<div role="tablist"><button role="tab" aria-controls="t1">One</button></div><div id="t1" role="tabpanel" hidden><p>KEY is short.</p></div>`,
  ],
  [
    'a hidden panel that a button names',
    '<h3><button aria-expanded="false" aria-controls="a1">Is it free?</button></h3><div id="a1" style="display:none"><p>KEY, it is.</p></div>',
  ],
  [
    'a collapsed part of Bootstrap',
    '<a data-bs-toggle="collapse" href="#c1">More</a><div class="collapse" id="c1" style="display: none"><p>KEY of it.</p></div>',
  ],
  [
    'a tab pane of Bootstrap 4',
    '<ul><li><a data-toggle="tab" data-target="#p1">More</a></li></ul><div class="tab-pane" id="p1" hidden><p>KEY of it.</p></div>',
  ],
  [
    'a panel inside a panel',
    '<button aria-controls="o1">Outer</button><div id="o1" hidden><p>Outer text.</p><button aria-controls="i1">Inner</button><div id="i1" hidden><p>KEY inner.</p></div></div>',
  ],
  ['an element that is hidden until found', '<div hidden="until-found"><p>KEY found</p></div>'],
  ['details', '<details><summary>More</summary><p>KEY inside</p></details>'],
  ['slides', `<div class="slides"><div class="slide" aria-hidden="true"><p>KEY slide</p></div></div>`],
  ['a description list', '<dl><dt>Size</dt><dd>KEY</dd></dl>'],
  ['a row with an empty cell and a check mark', '<table><tr><td>Oak</td><td>✓</td><td>KEY</td><td></td></tr></table>'],
  ['a cell with blocks', '<table><tr><td>Oak</td><td><p>KEY</p><p>12</p></td></tr></table>'],
  [
    'a table with a caption and a foot',
    '<table><caption>KEY</caption><tr><td>1</td></tr><tfoot><tr><td>2</td></tr></tfoot></table>',
  ],
  ['letters in other styles', '<p><b>K</b><i>E</i><span>Y</span> and H<sub>2</sub>O</p>'],
  ['a price and its label without a space', '<p><span>$63.75</span><span>KEY</span></p>'],
  ['entries of a menu without a space', '<p><a href="/a">one</a><a href="/b">KEY</a></p>'],
  ['text beside a button', '<p>before<button>Copy</button>KEY</p>'],
  [
    'text beside a field',
    '<div>A long text stands before<input placeholder="Name">KEY of the text, which says more than the name of its field, as texts do.</div><p>It<textarea>own</textarea>ends here, after all that it had to say about the field and the name of it.</p>',
  ],
  ['text beside a list of choices', '<p>KEY<select><option>one</option><option>two</option></select>after</p>'],
  ['text beside an image', '<p>KEY<img src="/a.png" alt="of it">after</p>'],
  ['ruby', '<p><ruby>KEY<rt>kan</rt></ruby><ruby>字<rp>(</rp><rt>ji</rt><rp>)</rp></ruby></p>'],
  ['a formula', '<p>KEY <math><msup><mi>x</mi><mn>2</mn></msup></math> is</p>'],
  ['a formula in a script', '<p>KEY<script type="math/tex">x^2</script> is</p>'],
  ['a formula as an attribute', '<p>KEY <span data-math="x^2">x²</span> is</p>'],
  ['code with line numbers', '<pre><span class="lineno">1</span><code>KEY = 1</code>\n\n\n<code>b</code></pre>'],
  [
    'code with names of boilerplate',
    '<pre><code>a <span class="comment">// KEY</span>\n<span class="tags">b</span>c</code></pre>',
  ],
  ['code in a line', '<p>Call <code><span>user</span><span>Name</span></code> for KEY</p>'],
  ['a paragraph by line breaks', '<div>one<br><br>KEY<br>three</div>'],
  ['a box in a line', '<div>one<x-card>KEY<div>two</div>three</x-card>four</div>'],
  ['a link around blocks', '<div>one<a href="/x">KEY<div>two</div>three</a>four</div>'],
  ['wide spaces and invisible characters', '<p>one\u3000<b>KEY</b>\u00a0\u200bt\u00adwo<wbr>three</p>'],
  ['text beside a caption', '<figure><img src="/a.png" alt="b"><figcaption>of it</figcaption></figure><p>KEY</p>'],
  ['a footnote', '<p>KEY<sup><a href="#fn1">1</a></sup></p><ol><li id="fn1">The note. <a href="#r">↩</a></li></ol>'],
  ['a callout', '<aside class="note"><p>KEY note of the page.</p></aside>'],
  [
    'a heading that is named as a header',
    '<section><div class="section-header"><h2>KEY</h2></div><p>Text of it.</p></section>',
  ],
  [
    'a question in a button',
    `<button>What is the KEY of it?</button><div><p>It is this one, as it says here.</p></div>`,
  ],
];

describe('what extraction shows is compared', () => {
  it.each(PATTERNS)('for %s', (_, pattern) => {
    const page = `<html><head><title>T</title></head><body><main><h1>Title of it</h1>${PROSE}${pattern}${PROSE}</main></body></html>`;
    const { text = '', blocks } = read(page);
    expect(text.replace(/[\u200b\u00ad]/g, '')).toContain('KEY');
    expect(blocks?.blocks.some(({ text: block }) => block.includes('KEY'))).toBe(true);
    expect(coverageOf(page)).toEqual(complete(page));
    expect(coverageOf(page, { onlyMainContent: false })).toEqual(complete(page));
    expect(uncountedIn(page)).toEqual([]);
  });

  it('for content that the page holds as data', () => {
    const body = 'KEY stands in data alone, which a script of the page would show to its readers. '.repeat(8);
    const page = `<html><body><script type="application/ld+json">{"@type":"Article","articleBody":"${body}"}</script><div id="app"></div></body></html>`;
    expect(read(page).text).toContain('KEY');
    expect(coverageOf(page)).toEqual(complete(page));
  });

  it('for a word that is longer than a block', () => {
    const page = `<p>${'x'.repeat(12_000)} KEY ${'one two '.repeat(3_000)}</p>`;
    expect(coverageOf(page)).toEqual(complete(page));
  });

  it('for generated pages, whatever they hide and whatever options choose', () => {
    fc.assert(
      fc.property(GENERATED_PAGE, GENERATED_OPTIONS, (html, content) => {
        expect(coverageOf(html, content)).toEqual(complete(html));
        expect({ html, uncounted: uncountedIn(html) }).toEqual({ html, uncounted: [] });
      }),
      { numRuns: 500, seed: 27 },
    );
  });

  it.each([
    ['a sidebar', `<div class="sidebar"><p>KEY of the sidebar</p></div>`],
    ['an aside', `<aside><p>KEY of the aside</p></aside>`],
    ['a footer', `<div id="footer"><p>KEY of the footer</p></div>`],
  ])('beside the content, for none of them: %s', (_, frame) => {
    const page = `<html><head><title>T</title></head><body><div id="wrap"><div id="content"><h1>Title of it</h1>${PROSE}${PROSE}</div>${frame}</div></body></html>`;
    const { text = '', blocks } = read(page);
    const content = (blocks?.blocks ?? []).filter(({ landmark }) => landmark === Landmark.LANDMARK_MAIN);
    expect(text).not.toContain('KEY');
    expect(content.some(({ text: block }) => block.includes('KEY'))).toBe(false);
  });

  it('for the main part of a page whose header holds more words, which are not its content', () => {
    const slide =
      '<div class="slide"><p>KEY of a slide, which says something about its picture and about no other.</p></div>';
    const page = `<html><head><title>T</title></head><body><header>${slide.repeat(6)}</header><main><h1>Title of it</h1>${PROSE}</main></body></html>`;
    expect(read(page).text).toContain('A sentence of the page');
    expect(read(page).text).not.toContain('KEY');
    expect(uncountedIn(page)).toEqual([]);
  });
});

describe('hidden elements that no reader can open', () => {
  it.each([
    ['a dialog', '<button aria-haspopup="dialog" aria-controls="d">Open</button><div id="d" hidden><p>KEY</p></div>'],
    [
      'a modal of Bootstrap',
      '<a data-bs-toggle="modal" data-bs-target="#d">Open</a><div class="modal" id="d" style="display:none"><p>KEY</p></div>',
    ],
    [
      'a menu',
      `<button aria-controls="d">Menu</button><ul id="d" hidden><li><a href="/a">KEY</a></li><li><a href="/b">Two</a></li></ul>`,
    ],
    [
      'a list that a hidden control names',
      '<div hidden><button aria-controls="d">x</button></div><div id="d" hidden><p>KEY</p></div>',
    ],
    [
      'a short form',
      '<button aria-controls="d">Log in</button><div id="d" hidden><label>KEY</label><input name="mail"></div>',
    ],
    ['text without a control', '<div hidden><p>KEY</p></div>'],
    ['a panel in the navigation', '<nav><button aria-controls="d">x</button><div id="d" hidden><p>KEY</p></div></nav>'],
  ])('stay out of text and blocks: %s', (_, hidden) => {
    const { text, blocks } = read(`<main><h1>Title</h1>${PROSE}${hidden}${PROSE}</main>`);
    expect(text).not.toContain('KEY');
    expect(blocks?.blocks.some(({ text: block }) => block.includes('KEY'))).toBe(false);
  });
});
