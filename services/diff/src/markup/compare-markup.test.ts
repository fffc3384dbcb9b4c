import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareMarkup, MAX_OPS } from './compare-markup.ts';
import type { MarkupOp } from './markup-delta.ts';

const compare = (before: string, after: string) => compareMarkup(before, after, { deadlineMs: 5_000 });
const opsOf = (before: string, after: string): readonly MarkupOp[] => compare(before, after).ops;

describe('compareMarkup', () => {
  it('lists a changed text with its section', () => {
    const page = (fee: string): string => `<main><h2>Fees</h2><p id="fee">${fee}</p></main>`;
    expect(opsOf(page('Ten pounds'), page('Twelve pounds'))).toEqual([
      { op: 'text', selector: '#fee', section: 'Fees', before: 'Ten pounds', after: 'Twelve pounds' },
    ]);
  });

  it('lists changed, added and removed attributes', () => {
    expect(opsOf('<a id="x" href="/one" rel="me">A</a>', '<a id="x" href="/two" title="T">A</a>')).toEqual([
      { op: 'attr', selector: '#x', attribute: 'href', before: '/one', after: '/two' },
      { op: 'attr', selector: '#x', attribute: 'rel', before: 'me' },
      { op: 'attr', selector: '#x', attribute: 'title', after: 'T' },
    ]);
  });

  it('lists inserted and removed elements without their neighbours', () => {
    const list = (...items: string[]): string => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
    expect(opsOf(list('a', 'b', 'c'), list('a', 'new', 'b', 'c'))).toEqual([
      { op: 'insert', selector: 'body > ul > li:nth-of-type(2)', after: '<li>new</li>' },
    ]);
    expect(opsOf(list('a', 'b', 'c'), list('a', 'c'))).toEqual([
      { op: 'remove', selector: 'body > ul > li:nth-of-type(2)', before: '<li>b</li>' },
    ]);
  });

  it('lists moved elements as moves among siblings, to another parent and into a wrapper', () => {
    const [card, other] = ['<section><h2>Card</h2><p>Words</p></section>', '<section><h2>Other</h2></section>'];
    const kinds = (before: string, after: string): string[] => opsOf(before, after).map(({ op }) => op);
    expect(kinds(card + other, other + card)).toEqual(['move']);
    expect(kinds(`<main>${card}</main><aside></aside>`, `<main></main><aside>${card}</aside>`)).toEqual(['move']);
    expect(kinds(card + other, `<div class="wrap">${card}</div>${other}`).toSorted()).toEqual(['insert', 'move']);
  });

  it('gives the former selector of a moved element', () => {
    const [a, b] = ['<p id="a">One</p>', '<p>Two <b>words</b></p>'];
    const [move] = opsOf(`<div>${a}${b}</div>`, `<div>${b}${a}</div>`);
    expect(move).toMatchObject({
      op: 'move',
      selector: expect.stringMatching(/p/),
      fromSelector: expect.stringMatching(/p/),
    });
  });

  it('pairs elements by id however much their content changed', () => {
    const before = '<div><p id="terms">Old words entirely</p><p id="fees">Ten</p></div>';
    const after = '<div><p id="fees">Twelve</p><p id="terms">New text from end to end</p></div>';
    const texts = opsOf(before, after).filter(({ op }) => op === 'text');
    expect(texts.map(({ selector }) => selector).toSorted()).toEqual(['#fees', '#terms']);
    expect(opsOf(before, after).some(({ op }) => op === 'remove' || op === 'insert')).toBe(false);
  });

  it('ignores attribute order, white space, quotes and the case of markup', () => {
    const before = '<div class="a b" id=x><INPUT TYPE="Text" checked><p>One two</p></div>';
    const after = '<DIV ID=\'x\'  class="b  a">\n<input checked="checked" type=text>\n<p>\n One   two</p>\n</DIV>';
    expect(compare(before, after)).toMatchObject({ ops: [], noiseSuppressed: {} });
  });

  it('limits excerpts to a few hundred characters', () => {
    const [op] = opsOf('<p id="x">a</p>', `<p id="x">${'long '.repeat(5_000)}</p>`);
    expect(op?.after?.length).toBeLessThan(400);
  });

  it('lists at most MAX_OPS differences and marks the result truncated', () => {
    const list = (word: string): string => Array.from({ length: MAX_OPS + 100 }, (_, i) => `<p>${word} ${i}`).join('');
    expect(compare(list('one'), list('two'))).toMatchObject({ isTruncated: true });
    expect(opsOf(list('one'), list('two'))).toHaveLength(MAX_OPS);
  });
});

/** Elements that may nest. */
const tag = fc.constantFrom('div', 'section', 'ul', 'span', 'article');
const words = fc.array(fc.constantFrom('terms', 'fees', 'price', 'notice', 'contact', 'one', 'two'), { maxLength: 3 });
interface Node {
  readonly tag: string;
  readonly words: string[];
  readonly children: Node[];
}
const elementWith = (children: fc.Arbitrary<Node[]>): fc.Arbitrary<Node> => fc.record({ tag, words, children });
const leaf = elementWith(fc.constant([]));
const group = elementWith(fc.array(leaf, { maxLength: 4 }));
const node = elementWith(fc.array(fc.oneof(leaf, group), { maxLength: 4 }));
const write = (at: Node): string =>
  `<${at.tag} title="${at.words.join(' ')}" class="c">${at.words.join(' ')}${at.children.map(write).join('')}</${at.tag}>`;
/** The same page as a later fetch returns it. */
const noisy = (at: Node): string =>
  `<!-- ${at.words.length} -->\n<${at.tag.toUpperCase()}  class='c' data-v-7ba5bd90 nonce="n${at.words.length}" title='${at.words.join('  ')}'>\n ${at.words.join('\n')} ${at.children.map(noisy).join('<!-- x -->')}<script nonce=a1b2></script></${at.tag}>`;
const plain = (at: Node): string =>
  `${write({ ...at, children: [] }).replace(/<\/\w+>$/, '')}${at.children.map(plain).join('')}<script></script></${at.tag}>`;

describe('compareMarkup with random pages', () => {
  it('finds no difference between a page and itself', () => {
    fc.assert(
      fc.property(node, (page) => {
        expect(compare(write(page), write(page))).toMatchObject({ ops: [], noiseSuppressed: {}, isTruncated: false });
      }),
    );
  });

  it('gives the same result when noise is added', () => {
    fc.assert(
      fc.property(node, node, (before, after) => {
        expect(opsOf(plain(before), noisy(before))).toEqual([]);
        const plainOps = opsOf(plain(before), plain(after)).map(({ op, selector }) => `${op} ${selector}`);
        const noisyOps = opsOf(plain(before), noisy(after)).map(({ op, selector }) => `${op} ${selector}`);
        expect(noisyOps).toEqual(plainOps);
      }),
      { numRuns: 60 },
    );
  });

  it('never finds two different pages equal', () => {
    fc.assert(
      fc.property(node, node, (before, after) => {
        fc.pre(write(before) !== write(after));
        const collapsed = (html: string): string => html.replace(/\s+/g, ' ');
        if (collapsed(write(before)) !== collapsed(write(after)))
          expect(opsOf(write(before), write(after))).not.toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
