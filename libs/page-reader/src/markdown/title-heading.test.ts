import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const TEXT = '<p>The harbour gauge has been read every hour since the spring, and its record is complete.</p>'.repeat(
  3,
);
const read = (body: string, { onlyMainContent = true, omitTitleHeading = true } = {}) =>
  readPage({
    html: `<title>Reading the gauge | Harbour</title>${body}`,
    url: 'https://site.example/a',
    content: { ...USUAL_CONTENT, onlyMainContent, omitTitleHeading },
    outputs: new Set(['markdown', 'text', 'cleanHtml']),
  });

describe('the heading that repeats the title', () => {
  const html = `<article><h1>Reading the Gauge</h1>${TEXT}</article>`;

  it('stays in markdown and text by default', () => {
    const { markdown, text } = read(html, { omitTitleHeading: false });
    expect(markdown).toMatch(/^# Reading the Gauge\n\nThe harbour gauge/);
    expect(text).toMatch(/^Reading the Gauge\n\nThe harbour gauge/);
  });

  it('is left out of the markdown and the text of the main content with omit_title_heading', () => {
    const { title, markdown, text, cleanHtml, evidence } = read(html);
    expect(title).toBe('Reading the gauge | Harbour');
    expect(markdown).toMatch(/^The harbour gauge/);
    expect(text).toMatch(/^The harbour gauge/);
    expect(cleanHtml).toContain('Reading the Gauge');
    expect(evidence).toEqual(read(html, { omitTitleHeading: false }).evidence);
  });

  it('stays if it differs from the title, or follows another heading', () => {
    expect(read(`<article><h1>How to read it</h1>${TEXT}</article>`).markdown).toMatch(/^# How to read it/);
    expect(read(`<article><h2>Foreword</h2>${TEXT}<h2>Reading the gauge</h2>${TEXT}</article>`).markdown).toContain(
      '## Reading the gauge',
    );
  });

  it('stays in the whole page and of a page without other text', () => {
    expect(read(`<article><h1>Reading the gauge</h1>${TEXT}</article>`, { onlyMainContent: false }).markdown).toContain(
      '# Reading',
    );
    expect(read('<main><h1>Reading the gauge</h1></main>').markdown).toContain('# Reading');
  });
});
