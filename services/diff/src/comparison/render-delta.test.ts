import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { block, pageOf, readingOf } from '../../test/sample-pages.ts';
import { comparePages } from './compare-pages.ts';
import { renderDelta } from './render-delta.ts';

const render = (...pages: [Parameters<typeof comparePages>[0], Parameters<typeof comparePages>[1]]): string =>
  renderDelta(comparePages(...pages, { deadlineMs: 5_000 }));

const TAGS = new Set('div p h4 ins del dl dt dd code'.split(' '));
const ATTRIBUTES = new Set(['class', 'dir', 'data-op', 'data-landmark', 'data-volatile']);

describe('renderDelta', () => {
  it('marks added and removed text under its section', () => {
    const html = render(readingOf('The price is 129 euros.'), readingOf('The price is 149 euros.'));
    expect(html).toContain('<h4 dir="auto">Terms</h4>');
    expect(html).toContain('The price is <del>129</del><ins>149</ins> euros.');
  });

  it('renders link targets as text and never as links', () => {
    const link = (to: string) => pageOf([block('Data', { links: [to] })]);
    const html = render(link('https://a.example/?a&b'), link('javascript:alert(1)'));
    expect(html).toContain('<del>https://a.example/?a&amp;b</del>');
    expect(html).not.toContain('href');
  });

  it('emits no markup from page content', () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        '<script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        '</p></div><iframe>',
        '&lt;b&gt;',
        '\u202egnp.exe',
      ),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (before, after, title) => {
        const head = [{ name: title, value: after }];
        const html = render(pageOf([block(before, { links: [title] })]), pageOf([block(after)], head));
        const check = (nodes: ReturnType<typeof parseDocument>['children']): void => {
          for (const node of nodes) {
            if (!('attribs' in node)) continue;
            expect(TAGS).toContain(node.name);
            for (const name of Object.keys(node.attribs)) expect(ATTRIBUTES).toContain(name);
            check(node.children);
          }
        };
        check(parseDocument(html).children);
        expect(html).not.toMatch(/[\u202a-\u202e]/);
      }),
    );
  });

  it('bounds the fragment and states how many changes are not shown', () => {
    const long = (seed: string) => readingOf(...Array.from({ length: 400 }, (_, at) => `${seed}${at} `.repeat(300)));
    const html = render(long('a'), long('b'));
    expect(html.length).toBeLessThan(300_000);
    expect(html).toMatch(/\d+ more not shown/);
  });
});
