import { describe, expect, it } from '@jest/globals';
import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import { countCpuMs } from '@tidemark/testkit';
import type { ContentOptions } from '../options/content-options.ts';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { type PageReading, readPage } from '../page/read-page.ts';

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

describe('frames and controls beside the content', () => {
  const article = `<div class="text"><h1>Boats</h1><p>${'Tied up two by two, as they say here. '.repeat(20)}</p>`;
  const landmarkOf = (html: string, part: string, content?: Partial<ContentOptions>): Landmark | undefined =>
    read(html, [], content).blocks?.blocks.find(({ text }) => text.includes(part))?.landmark;

  it.each([
    ['the bar of an editor', '<iframe src="https://builder.example/bar" title="BAR"></iframe>'],
    ['a bar in boxes of its own', '<div><div><iframe src="https://builder.example/BAR"></iframe></div></div>'],
    ['a button of a tester', '<div class="qa"><button>Report BAR</button></div>'],
    ['a field of a widget', '<div class="qa"><input placeholder="Ask BAR"></div>'],
  ])('are no content: %s', (_, widget) => {
    expect(landmarkOf(`${article}</div>${widget}`, 'BAR')).toBe(Landmark.LANDMARK_OTHER);
    expect(landmarkOf(`${article}</div>${widget}`, 'Tied up')).toBe(Landmark.LANDMARK_MAIN);
  });

  it.each([
    ['a player', '<p><iframe src="https://video.example/FILM"></iframe></p>'],
    ['a button', '<p>See <button>the FILM</button> of it, which shows all.</p>'],
  ])('are content inside it: %s', (_, part) => {
    const html = `${article}${part}<p>${'And so on they went. '.repeat(9)}</p></div>`;
    expect(landmarkOf(html, 'FILM')).toBe(Landmark.LANDMARK_MAIN);
  });

  it.each([
    ['without a size', 'style="width: 0; height:0px"'],
    ['out of view', 'style="position:absolute;left:-9999px"'],
    ['transparent', 'style="opacity:0"'],
    ['that is hidden', 'style="border:0;display:none"'],
    ['that assistive technology skips', 'aria-hidden="true"'],
  ])('a frame %s has no block', (_, attributes) => {
    const html = `${article}<p><iframe src="https://sync.example/BAR" ${attributes}></iframe></p></div>`;
    expect(landmarkOf(html, 'BAR')).toBeUndefined();
  });

  it('a frame with a style that shows it has a block', () => {
    const html = `${article}<p><iframe src="https://video.example/FILM" style="max-width:100%;height:0.5em;margin-left:-20px;opacity:0.9"></iframe></p></div>`;
    expect(landmarkOf(html, 'FILM')).toBe(Landmark.LANDMARK_MAIN);
  });

  it('are content where the whole page is', () => {
    const html = `${article}</div><div class="qa"><button>Report BAR</button></div>`;
    expect(landmarkOf(html, 'BAR', { onlyMainContent: false })).toBe(Landmark.LANDMARK_MAIN);
  });
});
