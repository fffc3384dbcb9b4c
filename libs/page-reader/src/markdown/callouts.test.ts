import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const prose = 'This paragraph of plain prose stands around the case, so that the page has content to be read.';
function markdown(html: string): string {
  const written =
    readPage({
      html: `<main><article><p>${prose}</p>${html}<p>${prose}</p></article></main>`,
      url: 'https://site.example/',
      content: USUAL_CONTENT,
      outputs: new Set(['markdown']),
    }).markdown ?? '';
  return written.slice(prose.length, -prose.length).trim();
}

describe('callouts', () => {
  it.each([
    [
      'GitHub',
      'NOTE',
      '<div class="markdown-alert markdown-alert-note"><p class="markdown-alert-title">Note</p><p>Read this.</p></div>',
    ],
    [
      'Docusaurus',
      'CAUTION',
      '<div class="theme-admonition theme-admonition-danger alert alert--danger"><div class="admonitionHeading_x">Danger</div><div class="admonitionContent_x"><p>Read this.</p></div></div>',
    ],
    [
      'MkDocs and Sphinx',
      'WARNING',
      '<div class="admonition warning"><p class="admonition-title">Warning</p><p>Read this.</p></div>',
    ],
    ['VitePress', 'TIP', '<div class="custom-block tip"><p class="custom-block-title">TIP</p><p>Read this.</p></div>'],
    [
      'Obsidian',
      'NOTE',
      '<div data-callout="info" class="callout"><div class="callout-title"><div>Info</div></div><div class="callout-content"><p>Read this.</p></div></div>',
    ],
    [
      'Bootstrap',
      'WARNING',
      '<div class="alert alert-warning" role="alert"><p class="alert-heading">Warning</p><p>Read this.</p></div>',
    ],
  ])('become alerts if written for %s', (_, kind, html) => {
    expect(markdown(html)).toBe(`> [!${kind}]\n> Read this.`);
  });

  it('keep a title of their own', () => {
    expect(
      markdown('<div class="admonition note"><p class="admonition-title">Before you start</p><p>Read this.</p></div>'),
    ).toBe('> [!NOTE]\n> **Before you start**\n>\n> Read this.');
  });

  it('are not made from boxes that are empty or of no known kind', () => {
    expect(markdown('<div class="callout"><p>Read this.</p></div>')).toBe('Read this.');
    expect(markdown('<div class="admonition note"><p class="admonition-title">Note</p></div>')).toBe('Note');
  });
});
