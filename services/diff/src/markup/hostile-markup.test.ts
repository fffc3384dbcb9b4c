import { describe, expect, it } from '@jest/globals';
import { compareMarkup } from './compare-markup.ts';
import { MAX_NODES } from './parse-markup.ts';

const repeated = (count: number, piece: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => piece(i)).join('');

describe('a page made to be hard', () => {
  it('of more nodes than are compared is answered that it is too large', () => {
    expect(compareMarkup('<p>x'.repeat(MAX_NODES), '<p>x', { deadlineMs: 5_000 })).toMatchObject({
      ops: [],
      degraded: 'too_large',
    });
  });

  it('that runs out of time is told as replaced where it was not reached', () => {
    const delta = compareMarkup('<main><p>one</main>', '<main><p>two</main>', { deadlineMs: -1 });
    expect(delta).toMatchObject({ degraded: 'out_of_time' });
    expect(delta.ops.map(({ op }) => op)).toEqual(['remove', 'insert']);
  });

  it('nested deeper than any stack is compared', () => {
    const delta = compareMarkup('<div>'.repeat(5_000), `${'<div>'.repeat(5_000)}x`, { deadlineMs: 5_000 });
    expect(delta.ops).toHaveLength(1);
  });

  it('shuffled throughout is told as moves', () => {
    const items = Array.from({ length: 3_000 }, (_, i) => `<li>${i}</li>`);
    const shuffled = items.map((_, i) => items[(i * 1_009) % items.length]).join('');
    const delta = compareMarkup(`<ul>${items.join('')}</ul>`, `<ul>${shuffled}</ul>`, { deadlineMs: 30_000 });
    expect(new Set(delta.ops.map(({ op }) => op))).toEqual(new Set(['move']));
  }, 60_000);

  it.each([
    ['one endless attribute', `<a href="${'a1b2c3.'.repeat(100_000)}" class="${'aB1'.repeat(100_000)}">x</a>`],
    ['one endless word of a class', `<p class="${'a'.repeat(500_000)}B">x</p>`],
    ['attributes without end', `<p ${repeated(20_000, (i) => `a${i}=1 `)}>x</p>`],
    ['brackets without end', `<script>${'{"a":[{'.repeat(100_000)}</script>`],
    ['a quote that never closes', `<script>{"${'\\"'.repeat(200_000)}</script>`],
    ['names of no object of ours', '<p __proto__="1" constructor="2" id="__proto__">x</p>'],
  ])(
    'with %s is compared like any other',
    (_, html) => {
      expect(compareMarkup(html, html, { deadlineMs: 5_000 })).toMatchObject({ ops: [], noiseSuppressed: {} });
    },
    60_000,
  );
});
