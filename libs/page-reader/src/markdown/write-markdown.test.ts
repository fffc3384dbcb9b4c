import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const prose = 'This paragraph of plain prose stands around the case, so that the page has content to be read.';
function markdown(html: string): string {
  const page = `<main><article><p>${prose}</p>${html}<p>${prose}</p></article></main>`;
  const written =
    readPage({
      html: page,
      url: 'https://site.example/docs/page.html',
      content: USUAL_CONTENT,
      outputs: new Set(['markdown']),
    }).markdown ?? '';
  return written.slice(prose.length, -prose.length).trim();
}

describe('toMarkdown', () => {
  it('nests lists, keeps the start number of ordered ones and marks tasks', () => {
    expect(markdown('<ol start=4><li>four<ul><li>inner</li></ul></li><li>five</li></ol>')).toBe(
      '4. four\n   - inner\n5. five',
    );
    expect(markdown('<ul><li><input type=checkbox checked> done</li><li><input type=checkbox> open</li></ul>')).toBe(
      '- [x] done\n- [ ] open',
    );
  });

  it('separates several blocks of one item by an empty line', () => {
    expect(markdown('<ul><li><p>one</p><p>two</p></li></ul>')).toBe('- one\n\n  two');
  });

  it('fences code with its language, wherever the highlighter wrote it, and with more backticks than it contains', () => {
    expect(markdown('<pre><code class="language-js">let a = 1;</code></pre>')).toBe('```js\nlet a = 1;\n```');
    expect(markdown('<div class="highlight highlight-source-shell"><pre>ls</pre></div>')).toBe('```shell\nls\n```');
    expect(markdown('<pre class="brush: python">a</pre>')).toBe('```python\na\n```');
    expect(markdown('<pre>```\nx\n```</pre>')).toBe('````\n```\nx\n```\n````');
  });

  it('omits line numbers of code', () => {
    expect(
      markdown(
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></table>',
      ),
    ).toBe('```\na\nb\n```');
  });

  it('writes data tables with spans expanded and unwraps layout tables', () => {
    expect(markdown('<table><tr><th>A<th>B<tr><td rowspan=2>x<td>1<tr><td>2</table>')).toBe(
      '| A | B |\n| --- | --- |\n| x | 1 |\n|  | 2 |',
    );
    expect(markdown('<table><tr><td>a | b</td><td>c</td></tr><tr><td>d</td><td>e</td></tr></table>')).toContain(
      '| a \\| b | c |',
    );
    expect(markdown('<table role=presentation><tr><td><p>left</p></td><td><p>right</p></td></tr></table>')).toBe(
      'left\n\nright',
    );
  });

  it('makes links absolute, keeps the text of links without a usable URL, and links a card once', () => {
    expect(markdown('<p>See <a href="../x?a=1#b">here</a>.</p>')).toBe('See [here](https://site.example/x?a=1#b).');
    expect(markdown('<p><a href="javascript:alert(1)">press</a></p>')).toBe('press');
    expect(markdown('<a href="/card"><h3>Title</h3><p>Some words that describe the card in a sentence.</p></a>')).toBe(
      '### [Title](https://site.example/card)\n\nSome words that describe the card in a sentence.',
    );
  });

  it('reads lazy images and drops data: images', () => {
    expect(markdown('<p>x <img src="data:image/gif;base64,R0" data-src="/a.jpg" alt="A  cat"> y</p>')).toBe(
      'x ![A cat](https://site.example/a.jpg) y',
    );
    expect(markdown('<p>x <img src="data:image/gif;base64,R0" alt="none"> y</p>')).toBe('x y');
    expect(markdown('<p>x <picture><source srcset="/s.webp 1x, /l.webp 2x"><img alt="p"></picture> y</p>')).toContain(
      '![p](https://site.example/l.webp)',
    );
  });

  it('neither joins nor loses words around inline markup', () => {
    expect(markdown('<p>a<b> b </b>c <i></i>d</p>')).toBe('a **b** c d');
    expect(markdown('<p>Un<b>believ</b>able</p>')).toBe('Un**believ**able');
    expect(markdown('<p><b>one <b>two</b></b></p>')).toBe('**one two**');
  });

  it('escapes what would be markup and nothing else', () => {
    expect(markdown('<p>2 * 3, snake_case, [not a link], a - b, 5. five</p>')).toBe(
      '2 * 3, snake_case, [not a link], a - b, 5. five',
    );
    expect(markdown('<p># no heading</p>')).toBe('\\# no heading');
    expect(markdown('<p>1. no list</p>')).toBe('1\\. no list');
    expect(markdown('<p>a *b* &lt;script> `c`</p>')).toBe('a \\*b\\* \\<script> \\`c\\`');
  });

  it('writes formulas as TeX and footnotes as markdown footnotes', () => {
    expect(
      markdown(
        '<p>so <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math> holds</p>',
      ),
    ).toBe('so $x^2$ holds');
    expect(
      markdown(
        '<p>Claim.<sup><a href="#fn1">1</a></sup></p><ol><li id="fn1">Source. <a href="#fnref1">↩</a></li></ol>',
      ),
    ).toBe('Claim.[^1]\n\n[^1]: Source.');
  });

  it('writes quotes, rules, line breaks and definitions in one form each', () => {
    expect(markdown('<blockquote><p>a</p><ul><li>b</li></ul></blockquote>')).toBe('> a\n>\n> - b');
    expect(markdown('<p>a<br>b</p><hr><dl><dt>t</dt><dd>d</dd></dl>')).toBe('a  \nb\n\n---\n\n**t**\n\nd');
  });

  it('drops the permalink symbols that documentation puts beside headings', () => {
    expect(markdown('<h2 id=i>Install<a class="headerlink" href="#i">¶</a></h2>')).toBe('## Install');
  });
});
