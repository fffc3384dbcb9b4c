import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const prose = 'This paragraph of plain prose stands around the case, so that the page has content to be read.';
function markdown(html: string): string {
  const written =
    readPage({
      html: `<main><article><p>${prose}</p><p>${html}</p><p>${prose}</p></article></main>`,
      url: 'https://site.example/',
      content: USUAL_CONTENT,
      outputs: new Set(['markdown']),
    }).markdown ?? '';
  return written.slice(prose.length, -prose.length).trim();
}

describe('mathOf', () => {
  it('keeps fractions, roots and scripts of MathML without TeX', () => {
    expect(
      markdown(
        '<math><mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi></mrow><msqrt><msup><mi>a</mi><mn>2</mn></msup></msqrt></mfrac></math>',
      ),
    ).toBe('$x = \\frac{- b}{\\sqrt{a^{2}}}$');
    expect(
      markdown('<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msub><mi>α</mi><mi>i</mi></msub></math>'),
    ).toBe('$\\sum_{i}^{n} \\alpha_{i}$');
  });

  it('reads formulas from MathJax boxes without MathML', () => {
    expect(
      markdown(
        '<mjx-container class="MathJax" jax="CHTML"><mjx-math><mjx-mfrac><mjx-frac><mjx-num><mjx-mn><mjx-c class="mjx-c31"></mjx-c></mjx-mn></mjx-num><mjx-dbox><mjx-den><mjx-mi><mjx-c class="mjx-c1D45B TEX-I"></mjx-c></mjx-mi></mjx-den></mjx-dbox></mjx-frac></mjx-mfrac></mjx-math></mjx-container>',
      ),
    ).toBe('$\\frac{1}{n}$');
  });

  it('reads formulas drawn as images from the URL or the alternative text', () => {
    expect(markdown('so <img src="https://latex.codecogs.com/svg.image?%5Cfrac%7Ba%7D%7Bb%7D"> holds')).toBe(
      'so $\\frac{a}{b}$ holds',
    );
    expect(markdown('so <img src="/eq.svg" alt="\\frac{a}{b}"> holds')).toBe('so $\\frac{a}{b}$ holds');
    expect(markdown('so <img src="/eq.svg" alt="a and b"> holds')).toContain('![a and b]');
  });
});
