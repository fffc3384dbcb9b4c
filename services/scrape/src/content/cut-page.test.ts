import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { type ContentOptions, type PageReading, readPage, USUAL_CONTENT } from './read-page.ts';

const read = (html: string, volatileSelectors: string[], content: Partial<ContentOptions> = {}): PageReading =>
  readPage({
    html,
    url: 'https://site.example/',
    content: { ...USUAL_CONTENT, ...content },
    wants: new Set(['markdown', 'text', 'cleanHtml']),
    cut: { volatileSelectors },
  });
/** Texts in order; those set aside in brackets. */
const texts = ({ blocks }: PageReading): string[] =>
  (blocks?.blocks ?? []).map(({ text, isSetAside }) => (isSetAside === true ? `[${text}]` : text));

const page = `<main><h1>Boats</h1><p>Seen <b class="views">1,204</b> times</p><div class="related"><p>More</p><ul><li>Oars</li></ul></div>
  <p>More</p><table><tr><td>Oak</td><td class="price">12</td></tr></table></main>`;

describe('what changes by itself, by the word of who watches the page', () => {
  it('is set aside block by block, and never takes what stands around it with it', () => {
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

  it('is not told from its like by its words, but by its place', () => {
    const twins = '<ol><li>a</li></ol><ul><li>a</li></ul><p>end</p>';
    expect(texts(read(twins, ['ul']))).toEqual(['a', '[a]', 'end']);
  });

  it('changes none of what is read of the page otherwise', () => {
    const { blocks: _, ...plain } = read(page, ['.nothing']);
    expect(read(page, ['.views', 'td', 'main'])).toMatchObject(plain);
    expect(texts(read(page, ['.nothing']))).toEqual(texts(read(page, [])));
  });

  it('is passed over where its selector can’t be used, and that is said', () => {
    const reading = read(page, ['::nonsense', 'a[[', '.views']);
    expect(texts(reading).filter((text) => text.startsWith('['))).toEqual(['[1,204]']);
    expect(reading.notes.map((note) => note.split(':')[0])).toEqual(['volatile_selectors', 'volatile_selectors']);
  });

  it('may be all of the page, and of a page of which parts are wanted it is that of these parts', () => {
    expect(texts(read(page, ['html'])).every((text) => text.startsWith('['))).toBe(true);
    const parts = { includeSelectors: ['.related li', 'td', 'h1'] };
    expect(texts(read(page, ['.related', '.price'], parts))).toEqual(['Boats', '[Oars]', 'Oak', '[12]']);
  });

  it('is found in time that grows with the page and not with what is named', () => {
    const deep = `<main>${'<div>'.repeat(400)}${'<i>x</i> '.repeat(20_000)}`;
    const cpuMs = countCpuMs();
    expect(texts(read(deep, ['*', 'i', 'div'], { includeSelectors: ['main', 'i'] })).length).toBeGreaterThan(0);
    expect(cpuMs()).toBeLessThan(5_000);
  });
});

describe('blocks', () => {
  it('are cut where they are asked for, and then of the whole page', () => {
    const html = `<nav>Menu</nav><main><h1>Boats</h1><p>${'Tied up two by two. '.repeat(20)}</p></main>`;
    expect(texts(read(html, []))).toEqual(['Menu', 'Boats', 'Tied up two by two. '.repeat(20).trim()]);
    expect(readPage({ html, url: 'https://a.example/', content: USUAL_CONTENT, wants: new Set() }).blocks).toBe(
      undefined,
    );
  });
});
