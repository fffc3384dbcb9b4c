import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { type OutputFormat, type PageReading, readPage } from './read-page.ts';

const ALL: ReadonlySet<OutputFormat> = new Set(['markdown', 'text', 'cleanHtml', 'links']);
const read = (html: string, onlyMainContent = true): PageReading =>
  readPage({ html, url: 'https://site.example/', content: { ...USUAL_CONTENT, onlyMainContent }, outputs: ALL });

const sentence = 'The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all. ';
const paragraphs = (count: number): string => `<p>${sentence.repeat(2)}</p>`.repeat(count);
const chrome = (content: string): string =>
  `<header class="site-header"><nav><a href="/a">Home</a> <a href="/b">Shop</a></nav></header>${content}<aside class="sidebar"><h3>Popular</h3><a href="/c">Another story</a></aside>
   <div id="cookie-banner">We use cookies to improve your visit. <button>Accept</button></div><footer>Copyright 2024 Site Inc.</footer>`;

describe('readPage', () => {
  it('keeps the article and omits navigation, asides, cookie boxes and footers', () => {
    const { text, markdown } = read(
      chrome(`<div id="story">${paragraphs(6)}<div class="share-buttons"><a href="/t">Tweet</a></div></div>`),
    );
    expect(text).toBe(Array.from({ length: 6 }, () => sentence.repeat(2).trim()).join('\n\n'));
    expect(markdown).toBe(text);
  });

  it('reads the whole body, without scripts and hidden parts, if requested', () => {
    const { text } = read(chrome(`${paragraphs(2)}<script>var x = 1</script><p hidden>secret</p>`), false);
    expect(text).toContain('Home');
    expect(text).toContain('Copyright 2024');
    expect(text).not.toMatch(/var x|secret/);
  });

  it('keeps every card of a listing', () => {
    const cards = Array.from(
      { length: 12 },
      (_, at) => `<div class="card"><h3><a href="/${at}">Product ${at}</a></h3><p>Costs ${at} euros</p></div>`,
    ).join('');
    const { text, shape } = read(chrome(`<div class="grid">${cards}</div>`));
    expect(shape).toBe('listing');
    for (let at = 0; at < 12; at++) expect(text).toContain(`Product ${at}`);
  });

  it('drops reader comments under an article and keeps them in a forum', () => {
    const comments = `<div class="comments">${`<div class="comment"><p>I agree, ${sentence}</p></div>`.repeat(4)}</div>`;
    expect(read(chrome(`<article>${paragraphs(8)}</article>${comments}`)).text).not.toContain('I agree');
    const forum = readPage({
      html: chrome(`<main>${paragraphs(1)}${comments}</main>`),
      url: 'https://forum.site.example/t/1',
      content: USUAL_CONTENT,
      outputs: ALL,
    });
    expect(forum.text).toContain('I agree');
  });

  it('omits captions from text and keeps them in markdown', () => {
    const { text, markdown } = read(
      `<article>${paragraphs(3)}<figure><img src="/i.jpg" alt="Boats"><figcaption>Boats at dawn.</figcaption></figure>${paragraphs(3)}</article>`,
    );
    expect(text).not.toContain('Boats at dawn');
    expect(markdown).toContain('![Boats](https://site.example/i.jpg)');
    expect(markdown).toContain('Boats at dawn.');
  });

  it('reads content that exists only in noscript or is hidden until scripts have run', () => {
    expect(
      read(`<body><div id="app"></div><noscript><div>${paragraphs(4)}</div><p>end</p><p>x</p><p>y</p></noscript>`).text,
    ).toContain('The harbour');
    expect(read(`<body><div style="visibility:hidden">${paragraphs(4)}</div>`).text).toContain('The harbour');
  });

  it('counts two characters as a word in scripts without spaces', () => {
    expect(read('<p>今天天气很好我们去公园散步</p>').words).toBe(7);
    expect(read('<p>Don’t count twice, please</p>').words).toBe(5);
  });

  it('shows plain text unchanged, including markup', () => {
    const { text } = readPage({
      html: 'a < b\n  <b>c</b>',
      url: 'https://site.example/x.txt',
      content: USUAL_CONTENT,
      outputs: ALL,
      contentType: 'text/plain; charset=utf-8',
    });
    expect(text).toBe('a < b\n  <b>c</b>');
  });

  it('classifies the shapes of pages that are not prose', () => {
    expect(read('').shape).toBe('empty');
    expect(read(`<table>${'<tr><td>alpha beta</td><td>1,200</td></tr>'.repeat(20)}</table>`).shape).toBe('table');
    expect(
      read(
        '<form><label>Name <input name=a></label><label>Mail <input type=email></label><button>Send it now</button></form>  <p>Write to us please</p>',
      ).shape,
    ).toBe('form');
  });

  it('takes linear time on hostile pages: deep nesting, long runs, many links', () => {
    const cpuMs = countCpuMs();
    for (const html of [
      '<div>a '.repeat(100_000),
      '<ul><li>a '.repeat(50_000),
      `<p>${'['.repeat(100_000)}`,
      '<a href=/x><div>'.repeat(50_000),
      `<p>a${' '.repeat(1_000_000)}b`,
      '<table><tr><td>'.repeat(30_000),
    ]) {
      expect(read(html).evidence.htmlChars).toBe(html.length);
    }
    expect(cpuMs()).toBeLessThan(20_000);
  });
});
