import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { findMoves, type Sketched } from './find-moves.ts';
import { type Sketch, similarity, sketchText } from './text-sketch.ts';

/** Deterministic random words by seed. */
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
  if (sketch === undefined) throw new Error('text too short for a sketch');
  return sketch;
}

describe('findMoves', () => {
  it('matches a removed and an added page with the same text', () => {
    const moves = findMoves(
      [sketched('a.example/old', prose(1)), sketched('a.example/gone', prose(2))],
      [sketched('a.example/new', prose(1)), sketched('a.example/fresh', prose(3))],
    );
    expect(moves).toEqual([{ from: 'a.example/old', to: 'a.example/new', similarity: 1 }]);
  });

  it('matches a page with a few changed words but not one with many', () => {
    const text = prose(1, 400).split(' ');
    const slightlyEdited = text.map((word, at) => (at === 100 || at === 300 ? 'other' : word)).join(' ');
    const heavilyEdited = text.map((word, at) => (at % 4 === 0 ? 'other' : word)).join(' ');
    const old = [sketched('a.example/old', text.join(' '))];
    expect(findMoves(old, [sketched('a.example/new', slightlyEdited)])).toHaveLength(1);
    expect(findMoves(old, [sketched('a.example/new', heavilyEdited)])).toEqual([]);
  });

  it('chooses the most similar page regardless of input order', () => {
    const near = `${prose(1)} and a few words more`;
    const removed = [sketched('a.example/old', prose(1))];
    const added = [sketched('a.example/near', near), sketched('a.example/exact', prose(1))];
    expect(findMoves(removed, added).map(({ to }) => to)).toEqual(['a.example/exact']);
    expect(findMoves(removed, added.toReversed())).toEqual(findMoves(removed, added));
  });

  it('matches no page of another host except with and without www.', () => {
    const old = [sketched('a.example/old', prose(1))];
    expect(findMoves(old, [sketched('b.example/old', prose(1))])).toEqual([]);
    expect(findMoves(old, [sketched('www.a.example/old', prose(1))])).toHaveLength(1);
  });

  it('sketchText requires a minimum number of words', () => {
    expect(sketchText('This page was not found')).toBeUndefined();
    expect(sketchText('这个页面有足够的文字可以被识别出来')).toBeDefined();
  });

  it('similarity estimates the share of common shingles', () => {
    const words = prose(7, 1_000).split(' ');
    const half = [...words.slice(0, 667), ...prose(8, 333).split(' ')].join(' ');
    const share = similarity(sketchOf(words.join(' ')), sketchOf(half));
    expect(Math.abs(share - 0.5)).toBeLessThan(0.2);
  });
});

describe('findMoves with 5,000 removed and 5,000 added pages', () => {
  it('matches each page with its own counterpart within five seconds', () => {
    const removed = Array.from({ length: 5_000 }, (_, page) => sketched(`a.example/${page}`, prose(page)));
    const added = Array.from({ length: 5_000 }, (_, page) => sketched(`a.example/new/${page}`, prose(page)));
    const cpuMs = countCpuMs();
    const moves = findMoves(removed, added);
    expect(cpuMs()).toBeLessThan(5_000);
    expect(moves).toHaveLength(5_000);
    expect(moves.every(({ from, to }) => to === from.replace('/', '/new/'))).toBe(true);
  });

  it('stays within five seconds when all pages have the same text', () => {
    const sketch = sketchOf(prose(1));
    const identicalPages = (folder: string): Sketched[] =>
      Array.from({ length: 5_000 }, (_, page) => ({ pageKey: `a.example/${folder}/${page}`, sketch }));
    const cpuMs = countCpuMs();
    expect(findMoves(identicalPages('a'), identicalPages('b')).length).toBeLessThan(5_000);
    expect(cpuMs()).toBeLessThan(5_000);
  });
});
