import fc from 'fast-check';

const WORDS =
  'tide harbour pilot vessel chart buoy current anchor signal berth lantern quay ebb flood sounding mooring'.split(' ');
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((list) => list.join(' '));

/** Text with what texts of real pages contain. */
const text = fc
  .tuple(
    words,
    fc.constantFrom(
      '',
      '&nbsp;',
      ' &amp; ',
      ' &copy 2026 ',
      '\u2014',
      ' 3 < 4 ',
      '&hellip;',
      '\r\n',
      '\t',
      '&#8217;s',
      '&unknown;',
    ),
    words,
  )
  .map((parts) => parts.join(''));

const wrap =
  (name: string, attributes = '') =>
  (inner: string): string =>
    `<${name}${attributes}>${inner}</${name}>`;

const inline: fc.Arbitrary<string> = fc.letrec<{ inline: string }>((tie) => ({
  inline: fc.oneof(
    { depthSize: 'small' },
    text,
    fc
      .tuple(fc.constantFrom('b', 'i', 'em', 'strong', 'span', 'code', 'sup', 'mark', 'small', 'font'), tie('inline'))
      .map(([name, inner]) => wrap(name)(inner)),
    tie('inline').map(wrap('a', ' href="/x?a=1&b=2" title="a > b"')),
    fc.constantFrom(
      '<br>',
      '<br/>',
      '<img src=a.png alt="x">',
      '<wbr>',
      '<input type=text value="a>b">',
      '<svg viewBox="0 0 1 1"><title>x</title><path d="M0 0"/></svg>',
      '<!-- ad -->',
      '<!--[if IE]><p>old</p><![endif]-->',
      '<script>if (a < b && c) document.write("</p>")</script>',
      '<time datetime=2026-01-02>2 January</time>',
    ),
  ),
})).inline;

const inlines = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));
const row = fc.array(inlines, { minLength: 1, maxLength: 4 });

const block: fc.Arbitrary<string> = fc.letrec<{ block: string }>((tie) => ({
  block: fc.oneof(
    { depthSize: 'small' },
    inlines.map(wrap('p')),
    inlines.map((inner) => `<p>${inner}`),
    fc.tuple(fc.constantFrom('h1', 'h2', 'h3'), inlines).map(([name, inner]) => wrap(name)(inner)),
    fc
      .array(tie('block'), { maxLength: 4 })
      .chain((inner) =>
        fc
          .constantFrom('div', 'section', 'article', 'main', 'aside', 'blockquote', 'center', 'nav', 'footer')
          .map((name) => wrap(name, ' class="a b"')(inner.join('\n'))),
      ),
    fc.array(inlines, { minLength: 1, maxLength: 5 }).chain((items) =>
      fc
        .constantFrom(
          (item: string) => `<li>${item}</li>`,
          (item: string) => `<li>${item}`,
        )
        .map((one) => `<ul>\n${items.map(one).join('\n')}\n</ul>`),
    ),
    fc
      .array(fc.tuple(inlines, inlines), { minLength: 1, maxLength: 3 })
      .map((pairs) => `<dl>${pairs.map(([term, detail]) => `<dt>${term}<dd>${detail}`).join('')}</dl>`),
    fc
      .array(row, { minLength: 1, maxLength: 4 })
      .chain((rows) =>
        fc
          .constantFrom(true, false)
          .map(
            (ends) =>
              `<table><caption>c</caption>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}${ends ? '</td>' : ''}`).join('')}${ends ? '</tr>' : ''}`).join('\n')}</table>`,
          ),
      ),
    fc
      .tuple(inlines, words)
      .map(
        ([label, option]) =>
          `<form action="/s"><label>${label}<input name=q></label><select><option selected>${option}<option>b</select><textarea>a<b></textarea><button>Go</button></form>`,
      ),
    words.map((code) => `<pre>\n${code} &lt;b&gt;\n  <span class=k>x</span>\n</pre>`),
    words.map((inner) => `<details><summary>${inner}</summary><p>${inner}</details>`),
    words.map((inner) => `<noscript><img src="/pixel?a=1"></noscript><p>${inner}</p>`),
    fc.constantFrom(
      '<hr>',
      '<iframe src="/a"><p>frame</iframe>',
      '<style>p > a { color: red }</style>',
      '<script type="application/ld+json">{"a":"</div>"}</script>',
      '<template><p>t</template>',
      '<p hidden>h</p>',
      '<math><mi>x</mi><mo>=</mo><mn>1</mn></math>',
    ),
  ),
})).block;

/** What pages have wrong: where a mistake is put, markup is dropped, repeated or opened and never closed. */
const mistake = fc.constantFrom(
  '</div>',
  '</p>',
  '<div>',
  '<b>',
  '</span>',
  '<p',
  '<a href="',
  '</td>',
  '<li>',
  '</ul>',
  '<table>',
  '<font color=red>',
  '"',
  '>',
  '</body>',
  '<h2>',
  '<center>',
);

function withMistakes(page: string, mistakes: readonly (readonly [place: number, what: string])[]): string {
  return mistakes.reduce((html, [place, what]) => {
    // Inside the body: a broken head is tested by the table of documents.
    const from = html.indexOf('<body');
    const at = from + Math.floor(((html.length - from) * place) / 1_000);
    return html.slice(0, at) + what + html.slice(at);
  }, page);
}

/** Whole pages of many kinds of blocks, with up to four mistakes in their markup. */
export const generatedPage: fc.Arbitrary<string> = fc
  .tuple(
    words,
    fc.array(block, { minLength: 4, maxLength: 14 }),
    fc.array(fc.tuple(fc.nat({ max: 999 }), mistake), { maxLength: 4 }),
  )
  .map(([title, blocks, mistakes]) => {
    // Enough words that the content of noscript is not shown.
    const prose = `<p>${`${WORDS.join(' ')}. `.repeat(20)}</p>`;
    const head = `<meta charset=utf-8><title>${title} &ndash; Harbour</title><link rel=stylesheet href=/a.css><script>var a = "<p>";</script>`;
    const page = `<!doctype html>\n<html lang=en><head>${head}</head>\n<body class="home">\n<header><nav><ul><li><a href=/>Home</a></ul></nav></header>\n${prose}\n${blocks.join('\n')}\n</body></html>`;
    return withMistakes(page, mistakes);
  });
