import { describe, expect, it } from '@jest/globals';
import type { ContentOptions, RemovedPart } from '../options/content-options.ts';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { type OutputFormat, type PageReading, readPage } from '../page/read-page.ts';

const ALL: ReadonlySet<OutputFormat> = new Set(['markdown', 'text', 'cleanHtml']);
const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const prose = '<p>The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all.</p>';
const page = `<header id="top"><nav><a href="/a">Home</a> <a href="/b">Shop</a></nav></header>
  <main><article><h1>Boats</h1>${prose.repeat(6)}<div class="offer">Buy this boat now</div><img src="${PIXEL}" alt="held"></article></main>
  <aside><h3>Popular</h3><a href="/c">Another story</a></aside><div class="ads">Advert here</div>
  <div id="cookie-banner">We use cookies to improve your visit.</div><footer>Imprint and contact</footer><script>var x</script>`;

const read = (content: Partial<ContentOptions>, html = page): PageReading =>
  readPage({ html, url: 'https://site.example/', content: { ...USUAL_CONTENT, ...content }, outputs: ALL });
const removed = (content: Partial<ContentOptions>, html = page): RemovedPart[] =>
  read({ explain: true, ...content }, html).removed ?? [];
const reasons = (list: RemovedPart[]): string[] => list.map(({ reason }) => reason).sort();

describe('explain', () => {
  it('lists what was omitted and why, largest first, and nothing if not requested', () => {
    const list = removed({ excludeSelectors: ['.offer'] });
    expect(reasons(list)).toEqual([
      'advertisement',
      'aside',
      'banner',
      'base64 image',
      'exclude_selectors',
      'footer',
      'header',
    ]);
    expect(list.map(({ words }) => words)).toEqual([...list.map(({ words }) => words)].sort((a, b) => b - a));
    expect(list.find(({ reason }) => reason === 'exclude_selectors')).toEqual({
      reason: 'exclude_selectors',
      selector: 'html > body > main > article > div',
      words: 4,
      text: 'Buy this boat now',
    });
    expect(read({}).removed).toBeUndefined();
  });

  it('lists only what was omitted from the whole page if the whole page is the content', () => {
    expect(reasons(removed({ onlyMainContent: false }))).toEqual(['banner', 'base64 image']);
    expect(removed({ onlyMainContent: false, removeBanners: false, removeBase64Images: false })).toEqual([]);
  });

  it('lists what is outside the main content and outside include_selectors', () => {
    const html = `<body><main>${prose.repeat(8)}</main><div class="note">Something else again</div></body>`;
    expect(removed({}, html).map(({ reason }) => reason)).toEqual(['outside the main content']);
    const outside = removed({ includeSelectors: ['h1'] });
    expect(reasons(outside)).toContain('outside include_selectors');
    expect(outside.some(({ text }) => text.includes('The harbour'))).toBe(true);
    expect(outside.some(({ text }) => text === 'Boats')).toBe(false);
  });

  it('gives CSS paths that select each omitted part', () => {
    for (const { selector, text } of removed({ removeBase64Images: false })) {
      expect(
        read({ onlyMainContent: false, removeBanners: false, includeSelectors: [selector] }).text?.replace(/\s+/g, ' '),
      ).toContain(text.slice(0, 8));
    }
  });

  it('is limited to 200 parts of 200 characters each', () => {
    const list = removed(
      { excludeSelectors: ['p'], onlyMainContent: false },
      `<div>${`<p>${'word '.repeat(100)}</p>`.repeat(500)}</div>`,
    );
    expect(list).toHaveLength(200);
    for (const { text } of list) expect(text.length).toBeLessThanOrEqual(200);
  });
});

describe('remove_base64_images', () => {
  it('omits data: images from markdown and clean html; false keeps them', () => {
    const out = read({});
    expect(out.markdown).not.toContain('data:');
    expect(out.cleanHtml).not.toContain('data:');
    const kept = read({ removeBase64Images: false });
    expect(kept.markdown).toContain(`![held](${PIXEL})`);
    expect(kept.cleanHtml).toContain(`<img src="${PIXEL}" alt="held">`);
  });

  it('replaces a placeholder by its real source in both cases', () => {
    const html = `<article>${prose.repeat(4)}<img src="${PIXEL}" data-src="/real.jpg" alt="boat"></article>`;
    for (const removeBase64Images of [true, false]) {
      const { markdown, cleanHtml } = read({ removeBase64Images }, html);
      expect(markdown).toContain('![boat](https://site.example/real.jpg)');
      expect(cleanHtml).not.toContain('data:');
    }
  });

  it('keeps at most a megabyte of data: images per page, and nothing that is not an image', () => {
    const picture = (chars: number): string => `<img src="data:image/png;base64,${'A'.repeat(chars)}" alt="x">`;
    const html = `<article>${prose.repeat(4)}${picture(600_000)}${picture(600_000)}<img src="data:text/html,<script>x()</script>"></article>`;
    const { markdown, cleanHtml } = read({ removeBase64Images: false }, html);
    expect(markdown?.match(/data:/g)).toHaveLength(1);
    expect(cleanHtml?.match(/data:/g)).toHaveLength(1);
    const svg = read(
      { removeBase64Images: false },
      `<p>${prose}<img alt=i src='data:image/svg+xml,<svg onload="x()"/>'></p>`,
    );
    expect(svg.cleanHtml).toContain('<img src="data:image/svg+xml,%3Csvg%20onload=%22x%28%29%22/%3E" alt="i">');
  });
});
