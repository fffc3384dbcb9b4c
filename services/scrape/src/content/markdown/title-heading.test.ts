import { describe, expect, it } from '@jest/globals';
import { readPage, USUAL_CONTENT } from '../read-page.ts';

const TEXT = '<p>The harbour gauge has been read every hour since the spring, and its record is complete.</p>'.repeat(
  3,
);
const read = (body: string, onlyMainContent = true) =>
  readPage({
    html: `<title>Reading the gauge | Harbour</title>${body}`,
    url: 'https://site.example/a',
    content: { ...USUAL_CONTENT, onlyMainContent },
    outputs: new Set(['markdown', 'text']),
  });

describe('the heading that repeats the title', () => {
  it('is left out of the markdown of the main content and stays in its text', () => {
    const { title, markdown, text } = read(`<article><h1>Reading the Gauge</h1>${TEXT}</article>`);
    expect(title).toBe('Reading the gauge');
    expect(markdown).toMatch(/^The harbour gauge/);
    expect(text).toMatch(/^Reading the Gauge/);
  });

  it('stays in the markdown if it differs from the title, or follows another heading', () => {
    expect(read(`<article><h1>How to read it</h1>${TEXT}</article>`).markdown).toMatch(/^# How to read it/);
    expect(read(`<article><h2>Foreword</h2>${TEXT}<h2>Reading the gauge</h2>${TEXT}</article>`).markdown).toContain(
      '## Reading the gauge',
    );
  });

  it('stays in the markdown of the whole page and of a page without other text', () => {
    expect(read(`<article><h1>Reading the gauge</h1>${TEXT}</article>`, false).markdown).toContain('# Reading');
    expect(read('<main><h1>Reading the gauge</h1></main>').markdown).toContain('# Reading');
  });
});
