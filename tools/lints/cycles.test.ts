import { describe, expect, it } from '@jest/globals';
import { cyclesOf } from './cycles.ts';

const graph = (edges: Readonly<Record<string, readonly string[]>>) =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));

describe('cyclesOf', () => {
  it('finds no cycle in a graph without one', () => {
    expect(cyclesOf(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });

  it('returns every cycle with its members in order', () => {
    const edges = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['d'], f: ['f'] };
    expect(cyclesOf(graph(edges)).sort()).toEqual([['a', 'b', 'c'], ['d', 'e'], ['f']]);
  });

  it('joins two cycles that share a node', () => {
    expect(cyclesOf(graph({ a: ['b'], b: ['a', 'c'], c: ['b'] }))).toEqual([['a', 'b', 'c']]);
  });

  it('follows a path of 20,000 nodes', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `n${index}`);
    const path = new Map(names.map((name, index) => [name, new Set([names[(index + 1) % names.length] ?? name])]));
    expect(cyclesOf(path)[0]).toHaveLength(20_000);
  });
});
