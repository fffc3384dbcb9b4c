import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { type Element, findFirst, NO_ATTRIBUTES, rawText } from './page-tree.ts';
import { parsePage } from './parse-page.ts';

const outline = (element: Element): string =>
  element.children
    .map((child) => (typeof child === 'string' ? child : `<${child.tag}>${outline(child)}</${child.tag}>`))
    .join('');
const body = (html: string): string => outline(parsePage(html).body);

describe('parsePage', () => {
  it('closes elements with implied end tags: paragraphs, items, cells and options', () => {
    expect(body('<p>a<p>b<div>c</div>')).toBe('<p>a</p><p>b</p><div>c</div>');
    expect(body('<ul><li>a<li>b<ul><li>c</ul><li>d</ul>')).toBe(
      '<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>',
    );
    expect(body('<table><tr><td>a<td>b<tr><td>c</table>')).toBe(
      '<table><tbody><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></tbody></table>',
    );
  });

  it('keeps comments with the element that contains them only if that is requested', () => {
    const html = '<!-- a --><div>x<!-- b --><p><!-- c --!></p><!-- d -->';
    const { comments, head } = parsePage(html, { keepsComments: true });
    const found = [...(comments ?? [])].map(([element, texts]) => [element === head ? 'head' : element.tag, texts]);
    expect(found).toEqual([
      ['head', [' a ']],
      ['div', [' b ', ' d ']],
      ['p', [' c ']],
    ]);
    expect(parsePage(html).comments).toBeUndefined();
  });

  it('ignores tags beyond the limit of elements, in svg too, and keeps their text', () => {
    const { elements, body } = parsePage(`${'<p>x'.repeat(5)}<svg>${'<g>y'.repeat(5)}`, { maxElements: 7 });
    expect(elements).toBe(7);
    expect(rawText(body)).toBe('xxxxxyyyyy');
  });

  it('never closes a block at an inline end tag, nor a table cell at a stray end tag', () => {
    expect(body('<b><div>a</b>b</div>c')).toBe('<b><div>ab</div>c</b>');
    expect(body('<div><table><tr><td>a</div>b</td></tr></table>c</div>')).toBe(
      '<div><table><tbody><tr><td>ab</td></tr></tbody></table>c</div>',
    );
  });

  it('puts text before any tag, and content after a missing head end tag, into the body', () => {
    expect(body('hello')).toBe('hello');
    expect(body('<head><title>t</title><p>x')).toBe('<p>x</p>');
  });

  it('reads a CDATA section as a comment in HTML and as text in svg and math', () => {
    expect(body('<body><![CDATA[ <p>shown</p>')).toBe('shown<p></p>');
    expect(body('<math><![CDATA[a < b]]></math>')).toBe('<math>a < b</math>');
  });

  it('places content between table parts before the table, and drops table parts outside tables', () => {
    expect(body('<table>a<tr><b>c</b><td>d</table>')).toBe(
      'a<b>c</b><table><tbody><tr><td>d</td></tr></tbody></table>',
    );
    expect(body('<div><td>a<tr>b</div>')).toBe('<div>ab</div>');
    expect(body('<table><form><tr><td>a</td></tr></form></table>b')).toBe(
      '<table><form></form><tbody><tr><td>a</td></tr></tbody></table>b',
    );
  });

  it('adds the attributes of an html or body tag inside noscript to no element, of this page or of a later one', () => {
    const markup = '<p>a</p><noscript><html lang="de" hidden><body class="x"><p>b</noscript>';
    const { root, body } = parsePage(markup);
    expect([root.attributes, body.attributes]).toEqual([{}, {}]);
    expect(findFirst(body, ({ tag }) => tag === 'noscript')?.attributes).toEqual({});
    expect(NO_ATTRIBUTES).toEqual({});
    expect(findFirst(parsePage('<p>c').body, ({ tag }) => tag === 'p')?.attributes).toEqual({});
  });

  it('parses the content of noscript apart from the page, also if its markup is escaped', () => {
    expect(body('<div>a<noscript><div><p>b</noscript>c</div>d')).toBe(
      '<div>a<noscript><div><p>b</p></div></noscript>c</div>d',
    );
    expect(body('<p>a<noscript>&lt;img src="x"&gt;</noscript>')).toBe('<p>a<noscript><img></img></noscript></p>');
    expect(body(`<p>${'<noscript>'.repeat(50_000)}a`)).toContain('<noscript>a');
  });

  it('closes a link at a nested link, and an svg at an HTML element inside it', () => {
    expect(body('<a href=1>x<a href=2>y</a>')).toBe('<a>x</a><a>y</a>');
    expect(body('<svg><path/><p>text</p>')).toBe('<svg><path></path></svg><p>text</p>');
  });

  it('nests at most 512 levels deep and keeps the text of deeper levels', () => {
    const page = parsePage(`${'<div>'.repeat(200_000)}deep${'</div>'.repeat(200_000)}after`);
    let depth = 0;
    for (let at: Element | undefined = findFirst(page.body, () => true); at; at = findFirst(at, () => true)) depth++;
    expect(depth).toBeLessThanOrEqual(513);
    expect(rawText(page.body)).toBe('deepafter');
  });

  it('parses a million attributes and two hundred thousand stray end tags in seconds', () => {
    const cpuMs = countCpuMs();
    const attributes = Array.from({ length: 1_000_000 }, (_, at) => `a${at}=1`).join(' ');
    expect(rawText(parsePage(`<div ${attributes} id=x>y</div>`).body)).toBe('y');
    parsePage(`${'<font>'.repeat(200_000)}${'</p></i>'.repeat(200_000)}`);
    expect(cpuMs()).toBeLessThan(15_000);
  });
});
