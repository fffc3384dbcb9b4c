import { describe, expect, it } from '@jest/globals';
import { compareMarkup } from './compare-markup.ts';
import { MAX_NODES } from './markup-tree.ts';

const repeated = (count: number, piece: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => piece(i)).join('');

describe('compareMarkup with hostile pages', () => {
  it('reports too_large above the node limit', () => {
    expect(compareMarkup('<p>x'.repeat(MAX_NODES), '<p>x', { deadlineMs: 5_000 })).toMatchObject({
      ops: [],
      degraded: 'too_large',
    });
  });

  it('reports unreached parts as removed and inserted after the deadline', () => {
    const delta = compareMarkup('<main><p>one</main>', '<main><p>two</main>', { deadlineMs: -1 });
    expect(delta).toMatchObject({ degraded: 'out_of_time' });
    expect(delta.ops.map(({ op }) => op)).toEqual(['remove', 'insert']);
  });

  it('compares elements nested deeper than the call stack', () => {
    const delta = compareMarkup('<div>'.repeat(5_000), `${'<div>'.repeat(5_000)}x`, { deadlineMs: 5_000 });
    expect(delta.ops).toHaveLength(1);
  });

  it('reports a shuffled list as moves', () => {
    const items = Array.from({ length: 3_000 }, (_, i) => `<li>${i}</li>`);
    const shuffled = items.map((_, i) => items[(i * 1_009) % items.length]).join('');
    const delta = compareMarkup(`<ul>${items.join('')}</ul>`, `<ul>${shuffled}</ul>`, { deadlineMs: 30_000 });
    expect(new Set(delta.ops.map(({ op }) => op))).toEqual(new Set(['move']));
  });

  it.each([
    ['one very long attribute', `<a href="${'a1b2c3.'.repeat(100_000)}" class="${'aB1'.repeat(100_000)}">x</a>`],
    ['one very long class name', `<p class="${'a'.repeat(500_000)}B">x</p>`],
    ['very many attributes', `<p ${repeated(20_000, (i) => `a${i}=1 `)}>x</p>`],
    ['very many brackets', `<script>${'{"a":[{'.repeat(100_000)}</script>`],
    ['an unterminated string', `<script>{"${'\\"'.repeat(200_000)}</script>`],
    ['names of Object.prototype', '<p __proto__="1" constructor="2" id="__proto__">x</p>'],
  ])(
    'compares a page with %s',
    (_, html) => {
      expect(compareMarkup(html, html, { deadlineMs: 5_000 })).toMatchObject({ ops: [], noiseSuppressed: {} });
    },
    60_000,
  );
});
