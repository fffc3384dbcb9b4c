import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { type PageReading, readPage } from '../page/read-page.ts';

const sentence = 'The harbour gauge has been read every hour since the spring, and its record is complete. ';
const paragraphs = (count: number): string => `<p>${sentence.repeat(3)}</p>`.repeat(count);
const read = (html: string): PageReading =>
  readPage({
    html,
    url: 'https://site.example/news/a',
    content: USUAL_CONTENT,
    outputs: new Set(['markdown', 'text']),
  });

describe('main content', () => {
  it.each([
    '<p>By Ada Lovelace, 4 March 2024</p>',
    '<p>4 March 2024</p>',
    '<div><time datetime="2024-03-04">March 4, 2024 at 10:30 am</time></div>',
    '<p>2024年5月10日</p>',
    '<p>Mar 4, 2024 · 5 min read</p>',
    '<div>4 mars 2024</div>',
  ])('omits a line that only states author and date: %s', (line) => {
    expect(read(`<article><h1>Gauges</h1>${line}${paragraphs(4)}</article>`).text).toBe(
      read(`<article><h1>Gauges</h1>${paragraphs(4)}</article>`).text,
    );
  });

  it('keeps a sentence that contains a date', () => {
    expect(read(`<article>${paragraphs(3)}<p>On 4 March 2024 the gauge broke.</p></article>`).text).toContain(
      '4 March',
    );
  });

  it('keeps headings and paragraphs around a long code listing', () => {
    const code = `<div class="box"><pre><code>${'const level = await gauge.read();\n'.repeat(60)}</code></pre></div>`;
    const { markdown } = read(
      `<body><article><h3>Reading</h3><p>Here is how it is read:</p>${code}<p>That is all there is to it.</p></article>`,
    );
    expect(markdown).toMatch(/^### Reading\n\nHere is how it is read:/);
    expect(markdown).toContain('That is all');
  });

  it('omits a breadcrumb trail without a recognisable class name', () => {
    const { text } = read(
      `<main><div><ul><li><a href="/">Home</a></li><li><a href="/a">Posts</a></li><li>Gauges</li></ul></div>${paragraphs(4)}</main>`,
    );
    expect(text).not.toContain('Posts');
  });

  it.each(['Ähnliche Beiträge', 'Baca juga', '相关推荐', '関連記事', 'Читайте также', 'مواضيع ذات صلة', '관련기사'])(
    'ends where links to other articles begin: %s',
    (heading) => {
      const others =
        '<ul><li><a href="/1">Another story of the town</a></li><li><a href="/2">And one more of it</a></li></ul>';
      const { text } = read(`<article>${paragraphs(5)}<h3>${heading}</h3>${others}</article>`);
      expect(text).not.toContain('Another story');
    },
  );

  it('keeps a further-reading section that belongs to the page', () => {
    const list = '<ul><li>Tides and their gauges, a history of the harbours of the north.</li></ul>';
    expect(read(`<article>${paragraphs(5)}<h2>Further reading</h2>${list}</article>`).text).toContain('Tides and');
  });

  it('is not hidden by a CSS property whose name only ends in "display"', () => {
    expect(read(`<body><div style="--menu-display: none">${paragraphs(3)}</div>`).text).toContain('harbour gauge');
    expect(
      read(`<body>${paragraphs(3)}<div style="color:red; display: none"><p>Hidden words.</p></div>`).text,
    ).not.toContain('Hidden words');
  });

  it('comes from structured data when the page shows little of it', () => {
    const body = sentence.repeat(12).trim();
    const data = JSON.stringify({ '@type': 'NewsArticle', headline: 'Gauges', articleBody: `${body}\n${body}` });
    const page = `<head><script type="application/ld+json">${data}</script></head><body><main><h1>Gauges</h1><p>Wait for the story, dear reader.</p></main>`;
    expect(read(page).text).toContain('record is complete');
    expect(read(page.replace('Wait for the story, dear reader.', body.repeat(2))).text).toContain(body);
    expect(read(page.replace(data, '{"articleBody": 7}')).text).toContain('Wait for the story');
  });

  it('is the same in markdown and in text', () => {
    const figure =
      '<figure><img src="/a.jpg" alt=""><figcaption>Boats in the harbour at dawn, seen from the quay.</figcaption></figure>';
    const { markdown, text } = read(`<article>${paragraphs(3)}${figure}${paragraphs(3)}</article>`);
    expect(text).not.toContain('Boats');
    expect(markdown).toContain('![Boats in the harbour at dawn, seen from the quay.](https://site.example/a.jpg)');
    expect(markdown?.match(/Boats/g)).toHaveLength(1);
  });

  it('takes a lazy image from noscript once, and no tracking pixel', () => {
    const lazy = '<div class="lazy"></div><noscript><img src="/real.jpg" alt="A boat"></noscript>';
    const both = '<img data-src="/real.jpg" alt="A boat"><noscript><img src="/real.jpg?w=9" alt="A boat"></noscript>';
    const pixel = '<noscript><img src="/count.gif" width="1" height="1"></noscript>';
    const picture = /!\[[^\]]*\]\([^)]*\)/g;
    const pictures = (html: string) =>
      read(`<article>${paragraphs(2)}<div>${html}</div>${paragraphs(2)}</article>`).markdown?.match(picture);
    expect(pictures(lazy)).toEqual(['![A boat](https://site.example/real.jpg)']);
    expect(pictures(both)).toEqual(['![A boat](https://site.example/real.jpg)']);
    expect(pictures(pixel)).toBeNull();
  });
});
