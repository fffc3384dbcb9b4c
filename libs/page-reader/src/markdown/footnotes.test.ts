import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const prose = 'This paragraph of plain prose stands around the case, so that the page has content to be read.';
const markdown = (html: string): string =>
  readPage({
    html: `<main><article><p>${prose}</p>${html}</article></main>`,
    url: 'https://site.example/',
    content: USUAL_CONTENT,
    outputs: new Set(['markdown']),
  }).markdown ?? '';

describe('footnotes', () => {
  it.each([
    [
      'links in spans',
      '<p>Claim.<span id="fnref:a"><a href="#fn:a">1</a></span></p><ol><li id="fn:a">Source.</li></ol>',
    ],
    ['ids of their own', '<p>Claim.<span class="fn"><a href="#x9note1">1</a></span></p><p id="x9note1">1. Source.</p>'],
    [
      'word processors',
      '<p>Claim.<sup><a href="#_ftn1">[1]</a></sup></p><p><sup><a href="#_ftnref1">[1]</a></sup> Source.</p>',
    ],
    [
      'scripted references',
      '<p>Claim.<sup><a id="footnoteref-1" href="javascript:;">1</a></sup></p><div id="footnote-1"><a href="javascript:;">1</a>. Source.</div>',
    ],
    ['bare numbers below a rule', '<p>Claim.<sup>1</sup></p><hr><p><strong>1</strong> Source.</p>'],
    ['bare numbers and a named list', '<p>Claim.<sup>1</sup></p><h3>Footnotes</h3><ol><li>Source.</li></ol>'],
    [
      'labels of side notes',
      '<p>Claim.<label class="footref" for="n.1">1</label><span class="sidenote">1 Source.</span></p><div class="footdef"><sup><a id="n.1" role="doc-backlink" href="#r">1</a></sup> <p>Source.</p></div>',
    ],
  ])('are written as markdown footnotes from every known markup: %s', (_, html) => {
    const written = markdown(html);
    expect(written).toContain('Claim.[^1]');
    expect(written).toContain('[^1]: Source.');
    expect(written.match(/Source\./g)).toHaveLength(1);
  });

  it('follow the content if they stand outside it', () => {
    const { markdown: written } = readPage({
      html: `<article>${`<p>${prose}</p>`.repeat(6)}<p>Claim.<sup>1</sup></p></article><div><ol><li id="footnote-1">Source.</li></ol></div>`,
      url: 'https://site.example/',
      content: USUAL_CONTENT,
      outputs: new Set(['markdown']),
    });
    expect(written).toMatch(/Claim\.\[\^1\]\n\n\[\^1\]: Source\.$/);
  });

  it('are omitted if a selector excludes them', () => {
    const { markdown: written } = readPage({
      html: `<article>${`<p>${prose}</p>`.repeat(6)}<p>Claim.<sup>1</sup></p></article><ol class="notes"><li id="footnote-1">Source.</li></ol>`,
      url: 'https://site.example/',
      content: { ...USUAL_CONTENT, excludeSelectors: ['.notes'] },
      outputs: new Set(['markdown']),
    });
    expect(written).not.toContain('Source.');
  });

  it('are not detected in powers, tables of contents and links to other pages', () => {
    expect(markdown('<p>x<sup>2</sup> and y<sup>1</sup> grow.</p><hr><p>The end.</p>')).toContain('x<sup>2</sup>');
    expect(markdown('<p><a href="#part-1">1</a></p><p id="part-1">Part one.</p>')).not.toContain('[^');
  });

  it('keep distinct names if two notes share a label', () => {
    const written = markdown(
      '<p>A<sup><a href="#fn1">*</a></sup> b<sup><a href="#fn2">*</a></sup></p><ol><li id="fn1">One.</li><li id="fn2">Two.</li></ol>',
    );
    expect(written).toContain('A[^1] b[^2]');
    expect(written).toContain('[^2]: Two.');
  });
});
