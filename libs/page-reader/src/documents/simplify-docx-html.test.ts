import { describe, expect, it } from '@jest/globals';
import { EDITED_CHARS } from './model/thresholds.ts';
import { simplifyDocxHtml } from './simplify-docx-html.ts';

const edited = (html: string): string => simplifyDocxHtml(html).html;

describe('simplifyDocxHtml', () => {
  it('replaces a picture by its description in brackets', () => {
    expect(edited('<p>See <img src="" alt="a &quot;tide&quot; &amp; a &lt;gauge&gt;"> here</p>')).toBe(
      '<p>See [a "tide" &amp; a &lt;gauge&gt;] here</p>',
    );
  });

  it('removes a picture without a description', () => {
    expect(edited('<p>a<img src=""><img src="" alt="">b</p>')).toBe('<p>ab</p>');
  });

  it('removes the only paragraph of a table cell and keeps its content', () => {
    expect(edited('<table><tr><th><p>Name</p></th><td><p>a <strong>b</strong><br>c</p></td></tr></table>')).toMatch(
      /^<table><tr><th>Name<\/th><td>a <strong>b<\/strong><br>c<\/td><\/tr><\/table>$/,
    );
  });

  it('keeps the paragraphs of a cell that has several', () => {
    const html = '<table><tr><td><p>a</p><p>b</p></td></tr></table>';
    expect(edited(html)).toBe(html);
  });

  it('edits the cells of a table in a cell', () => {
    expect(edited('<table><tr><td><table><tr><td><p>in</p></td></tr></table></td></tr></table>')).toBe(
      '<table><tr><td><table><tr><td>in</td></tr></table></td></tr></table>',
    );
  });

  it('keeps links, lists, headings and escaped markup as they are', () => {
    const html =
      '<h1>A &amp; B</h1><p><a href="https://x.example/?a=1&amp;copy;=2" id="a&amp;b">x</a> &lt;p&gt;</p><ul><li>one</li></ul>';
    expect(edited(html)).toBe(html);
  });

  it('keeps html over the size cap unchanged and says so', () => {
    const image = '<p><img alt="a"></p>';
    const long = `${image}${'<p>word</p>'.repeat(Math.ceil(EDITED_CHARS / 11))}`;
    expect(simplifyDocxHtml(long)).toEqual({ html: long, isWhole: false });
    const short = simplifyDocxHtml(long.slice(0, image.length + 11 * 100));
    expect(short.isWhole).toBe(true);
    expect(short.html.startsWith('<p>[a]</p>')).toBe(true);
  });
});
