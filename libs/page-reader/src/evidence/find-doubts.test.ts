import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';
import { classify } from '../verdict/classify.ts';

const url = 'https://site.example/page';

function classified(html: string, content = USUAL_CONTENT) {
  const { evidence } = readPage({ html, url, content, outputs: new Set() });
  const usual = { httpStatus: 200, headers: {}, requestedUrl: url, landedUrl: url, rendered: false, minWords: 0 };
  return classify({ ...usual, evidence });
}

const sentence = 'The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all.';
const article = `<article><h1>Harbour</h1>${`<p>${sentence}</p>`.repeat(8)}</article>`;
const rows = Array.from({ length: 30 }, (_, at) => `<div><b>Boat ${at}</b><span>${at} metres</span></div>`).join('');
const articleBody = (times: number): string =>
  `<script type="application/ld+json">${JSON.stringify({ '@type': 'Article', articleBody: `${sentence} `.repeat(times) })}</script>`;

describe('warning low_confidence', () => {
  it('is given with the signal for content of short lines', () => {
    const { verdict, warnings, signals } = classified(`<main><h1>Boats</h1>${rows}</main>`);
    expect({ verdict, warnings }).toEqual({ verdict: 'ok', warnings: ['low_confidence'] });
    expect(signals).toContain('few long lines');
  });

  it('is given with the signal if the page declares twice as much text as was kept', () => {
    const { warnings, signals } = classified(`${articleBody(40)}${article}`);
    expect(warnings).toContain('low_confidence');
    expect(signals).toContain('less than articleBody');
  });

  it('is not given for an article that is what the page declares', () => {
    expect(
      classified(`${articleBody(8)}<nav><a href="/">Home</a></nav>${article}<footer>Harbour Inc.</footer>`).warnings,
    ).toEqual([]);
  });

  it('is not given for content that the caller selects', () => {
    const content = { ...USUAL_CONTENT, includeSelectors: ['main'] };
    expect(classified(`<main><h1>Boats</h1>${rows}</main>`, content).warnings).toEqual([]);
  });
});
