import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadCatalogue } from './catalogue.ts';

const dir = mkdtempSync(join(tmpdir(), 'tidemark-catalogue-'));
afterAll(() => rmSync(dir, { recursive: true }));

function fileOf(content: unknown): string {
  const file = join(dir, 'catalogue.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

describe('bundled catalogue', () => {
  const catalogue = loadCatalogue();

  it('lists each engine of the ladder once, cheapest first', () => {
    const prices = catalogue.ladder.map((engine) => engine.credits);
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    expect(new Set(catalogue.ladder.map(({ tier, exit }) => `${tier} ${exit}`)).size).toBe(catalogue.ladder.length);
  });

  it('contains the free plan, on which a workspace starts', () => {
    expect(catalogue.plans['free']).toMatchObject({ welcomeCredits: 1_000, rpm: 60, subAccounts: 0 });
  });

  it('defines the price of each engine', () => {
    expect(catalogue.ladder.map(({ tier, exit, credits }) => [tier, exit, credits])).toEqual([
      ['http', false, 1],
      ['http', true, 2],
      ['browser', false, 5],
      ['browser', true, 10],
    ]);
  });
});

describe('catalogue of the operator', () => {
  it('replaces the bundled catalogue', () => {
    const own = { plans: {}, ladder: [{ tier: 'http', credits: 3, says: 'plain' }] };
    const catalogue = loadCatalogue(fileOf(own));
    expect(catalogue).toEqual({
      plans: {},
      packs: [],
      ladder: [{ tier: 'http', exit: false, credits: 3, says: 'plain' }],
    });
  });

  it.each([
    ['a negative price', { plans: {}, ladder: [{ tier: 'http', credits: -1, says: '' }] }, /credits/],
    ['an unknown engine', { plans: {}, ladder: [{ tier: 'teleport', credits: 1, says: '' }] }, /tier/],
    ['no engine', { plans: {}, ladder: [] }, /ladder/],
    ['a plan without a rate', { plans: { free: { welcomeCredits: 1, subAccounts: 0 } }, ladder: [] }, /rpm/],
  ])('with %s is refused with an error that names file and field', (_, content, field) => {
    const file = fileOf(content);
    expect(() => loadCatalogue(file)).toThrow(field);
    expect(() => loadCatalogue(file)).toThrow(file);
  });
});
