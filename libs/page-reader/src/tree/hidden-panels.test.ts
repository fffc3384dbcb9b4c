import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const SENTENCES =
  'The body is steel, the handle is beech, the base fits every stove. It holds two litres, and the lid stays cool, even over a high flame.';
const panel = (name: string, attributes: string): string =>
  `<div class="panel" ${attributes}><p>${name} ${SENTENCES}</p></div>`;
const HIDDEN = 'style="display:none"';

const textOf = (content: string): string =>
  readPage({
    html: `<html><head><title>Kettle</title></head><body><main><h1>Kettle</h1><p>A kettle of two litres, made by hand in the valley since the spring of that year.</p>${content}</main></body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

describe('a hidden panel', () => {
  it.each([
    ['the list of its label', `<ul class="tabs"><li>Details</li></ul>${panel('PANEL', HIDDEN)}`],
    [
      'a list of labels in a wrapper',
      `<div><div role="tablist"><button>Details</button><button>Care</button></div></div><div>${panel('SHOWN', '')}${panel('PANEL', 'hidden')}</div>`,
    ],
    [
      'a list of links within the page',
      `<ul><li><a href="#a">Details</a></li><li><a href="#b">Care</a></li></ul>${panel('SHOWN', '')}${panel('PANEL', HIDDEN)}`,
    ],
    ['the one panel of its make that is shown', `<div>${panel('SHOWN', '')}${panel('PANEL', HIDDEN)}</div>`],
  ])('is content after %s', (_, content) => {
    expect(textOf(content)).toContain('PANEL The body is steel');
  });

  it.each([
    ['a list of links to other pages', `<ul><li><a href="/tea">Tea</a></li></ul>${panel('PANEL', HIDDEN)}`],
    ['a list with fewer labels', `<ul><li>Details</li></ul>${panel('PANEL', HIDDEN)}${panel('PANEL', HIDDEN)}`],
    ['a paragraph', `<p>${SENTENCES}</p>${panel('PANEL', HIDDEN)}`],
  ])('stays hidden after %s', (_, content) => {
    expect(textOf(content)).not.toContain('PANEL');
  });

  it.each([
    ['a dialog', `<div class="panel" role="dialog" ${HIDDEN}><p>PANEL ${SENTENCES}</p></div>`],
    ['a form', `<div class="panel" ${HIDDEN}><p>PANEL ${SENTENCES}</p><input name="mail"></div>`],
    [
      'a slide with a linked headline',
      `<div class="panel" ${HIDDEN}><h3><a href="/1">PANEL</a></h3><p>${SENTENCES}</p></div>`,
    ],
    ['a short message', `<div class="panel" ${HIDDEN}><p>PANEL Saved.</p></div>`],
  ])('stays hidden if it is %s', (_, hidden) => {
    expect(textOf(`<div>${panel('SHOWN', '')}${hidden}</div>`)).not.toContain('PANEL');
  });

  it('stays hidden outside the content', () => {
    expect(textOf(`<nav><ul><li>Shop</li></ul>${panel('PANEL', HIDDEN)}</nav>`)).not.toContain('PANEL');
  });
});

describe('a cookie notice that is hidden', () => {
  it('is left out', () => {
    expect(textOf(`<div class="cookie-notice" ${HIDDEN}><p>PANEL ${SENTENCES}</p></div>`)).not.toContain('PANEL');
  });
});
