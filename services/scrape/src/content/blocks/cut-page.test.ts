import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { type ContentOptions, type PageReading, readPage, USUAL_CONTENT } from '../read-page.ts';

const read = (html: string, volatileSelectors: string[], content: Partial<ContentOptions> = {}): PageReading =>
  readPage({
    html,
    url: 'https://site.example/',
    content: { ...USUAL_CONTENT, ...content },
    outputs: new Set(['markdown', 'text', 'cleanHtml']),
    cut: { volatileSelectors },
  });
/** Texts in order; set-aside ones in brackets. */
const texts = ({ blocks }: PageReading): string[] =>
  (blocks?.blocks ?? []).map(({ text, isVolatile }) => (isVolatile === true ? `[${text}]` : text));

const page = `<main><h1>Boats</h1><p>Seen <b class="views">1,204</b> times</p><div class="related"><p>More</p><ul><li>Oars</li></ul></div>
  <p>More</p><table><tr><td>Oak</td><td class="price">12</td></tr></table></main>`;

describe('volatile_selectors', () => {
  it('set aside the matched blocks only, not what surrounds them', () => {
    expect(texts(read(page, ['.views', '.related', 'td.price']))).toEqual([
      'Boats',
      'Seen',
      '[1,204]',
      'times',
      '[More]',
      '[Oars]',
      'More',
      'Oak',
      '[12]',
    ]);
  });

  it('select by place, not by text', () => {
    const twins = '<ol><li>a</li></ol><ul><li>a</li></ul><p>end</p>';
    expect(texts(read(twins, ['ul']))).toEqual(['a', '[a]', 'end']);
  });

  it('change nothing else in the reading', () => {
    const { blocks: _, ...plain } = read(page, ['.nothing']);
    expect(read(page, ['.views', 'td', 'main'])).toMatchObject(plain);
    expect(texts(read(page, ['.nothing']))).toEqual(texts(read(page, [])));
  });

  it('add a note if a selector cannot be used, and set nothing aside', () => {
    const reading = read(page, ['::nonsense', 'a[[', '.views']);
    expect(texts(reading).filter((text) => text.startsWith('['))).toEqual(['[1,204]']);
    expect(reading.notes.map((note) => note.split(':')[0])).toEqual(['volatile_selectors', 'volatile_selectors']);
  });

  it('can match the whole page, or parts of the included elements', () => {
    expect(texts(read(page, ['html'])).every((text) => text.startsWith('['))).toBe(true);
    const parts = { includeSelectors: ['.related li', 'td', 'h1'] };
    expect(texts(read(page, ['.related', '.price'], parts))).toEqual(['Boats', '[Oars]', 'Oak', '[12]']);
  });

  it('take time that grows with the page, not with the number of matches', () => {
    const deep = `<main>${'<div>'.repeat(400)}${'<i>x</i> '.repeat(20_000)}`;
    const cpuMs = countCpuMs();
    expect(texts(read(deep, ['*', 'i', 'div'], { includeSelectors: ['main', 'i'] })).length).toBeGreaterThan(0);
    expect(cpuMs()).toBeLessThan(5_000);
  });
});

describe('readPage with cut', () => {
  it('returns blocks of the whole page if requested', () => {
    const html = `<nav>Menu</nav><main><h1>Boats</h1><p>${'Tied up two by two. '.repeat(20)}</p></main>`;
    expect(texts(read(html, []))).toEqual(['Menu', 'Boats', 'Tied up two by two. '.repeat(20).trim()]);
    expect(readPage({ html, url: 'https://a.example/', content: USUAL_CONTENT, outputs: new Set() }).blocks).toBe(
      undefined,
    );
  });
});
