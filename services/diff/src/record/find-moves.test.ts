import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { findMoves, type Sketched } from './find-moves.ts';
import { type Sketch, similarity, sketchText } from './sketch-text.ts';

/** Words without sense, the same for the same number. */
function prose(seed: number, words = 200): string {
  let state = seed + 1;
  return Array.from({ length: words }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return `w${state % 5_000}`;
  }).join(' ');
}

const sketched = (pageKey: string, text: string): Sketched => ({ pageKey, sketch: sketchOf(text) });

function sketchOf(text: string): Sketch {
  const sketch = sketchText(text);
  if (sketch === undefined) throw new Error('the text is too short');
  return sketch;
}

describe('a page that moved', () => {
  it('is found by what it says', () => {
    const moves = findMoves(
      [sketched('a.example/old', prose(1)), sketched('a.example/gone', prose(2))],
      [sketched('a.example/new', prose(1)), sketched('a.example/fresh', prose(3))],
    );
    expect(moves).toEqual([{ from: 'a.example/old', to: 'a.example/new', similarity: 1 }]);
  });

  it('is still itself with a few words changed, and no longer with many', () => {
    const text = prose(1, 400).split(' ');
    const few = text.map((word, at) => (at === 100 || at === 300 ? 'other' : word)).join(' ');
    const many = text.map((word, at) => (at % 4 === 0 ? 'other' : word)).join(' ');
    const old = [sketched('a.example/old', text.join(' '))];
    expect(findMoves(old, [sketched('a.example/new', few)])).toHaveLength(1);
    expect(findMoves(old, [sketched('a.example/new', many)])).toEqual([]);
  });

  it('has one new address, the best, whatever the order pages come in', () => {
    const near = `${prose(1)} and a few words more`;
    const removed = [sketched('a.example/old', prose(1))];
    const added = [sketched('a.example/near', near), sketched('a.example/exact', prose(1))];
    expect(findMoves(removed, added).map(({ to }) => to)).toEqual(['a.example/exact']);
    expect(findMoves(removed, added.toReversed())).toEqual(findMoves(removed, added));
  });

  it('does not move to another site', () => {
    const old = [sketched('a.example/old', prose(1))];
    expect(findMoves(old, [sketched('b.example/old', prose(1))])).toEqual([]);
    expect(findMoves(old, [sketched('www.a.example/old', prose(1))])).toHaveLength(1);
  });

  it('has words enough to be told by', () => {
    expect(sketchText('This page was not found')).toBeUndefined();
    expect(sketchText('这个页面有足够的文字可以被识别出来')).toBeDefined();
  });

  it('similarity of sketches is near the share of shingles that texts share', () => {
    const words = prose(7, 1_000).split(' ');
    const half = [...words.slice(0, 667), ...prose(8, 333).split(' ')].join(' ');
    const share = similarity(sketchOf(words.join(' ')), sketchOf(half));
    expect(Math.abs(share - 0.5)).toBeLessThan(0.2);
  });
});

describe('5,000 removed and 5,000 added pages', () => {
  it('are matched within five seconds, each with its own', () => {
    const removed = Array.from({ length: 5_000 }, (_, page) => sketched(`a.example/${page}`, prose(page)));
    const added = Array.from({ length: 5_000 }, (_, page) => sketched(`a.example/new/${page}`, prose(page)));
    const cpuMs = countCpuMs();
    const moves = findMoves(removed, added);
    expect(cpuMs()).toBeLessThan(5_000);
    expect(moves).toHaveLength(5_000);
    expect(moves.every(({ from, to }) => to === from.replace('/', '/new/'))).toBe(true);
  });

  it('that all say the same do not take longer', () => {
    const sketch = sketchOf(prose(1));
    const alike = (folder: string): Sketched[] =>
      Array.from({ length: 5_000 }, (_, page) => ({ pageKey: `a.example/${folder}/${page}`, sketch }));
    const cpuMs = countCpuMs();
    expect(findMoves(alike('a'), alike('b')).length).toBeLessThan(5_000);
    expect(cpuMs()).toBeLessThan(5_000);
  });
});
