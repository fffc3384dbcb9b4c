import { describe, expect, it } from '@jest/globals';
import { estimateCoverage } from '../../services/crawl/src/domain/coverage-estimate/estimate-coverage.ts';
import { median } from '../shared/load.ts';
import { type GeneratedSite, generateSite } from './generated-sites.ts';

const SITES = 100;
/** Sites of more sources take most of the time; `npm run eval -- coverage` has them. */
const MOST_SOURCES = 3;

function sites(): GeneratedSite[] {
  const found: GeneratedSite[] = [];
  for (let seed = 0; found.length < SITES; seed += 1) {
    const site = generateSite(seed);
    if (site.sources <= MOST_SOURCES) found.push(site);
  }
  return found;
}

describe('the estimated number of pages', () => {
  it('has a 95 % interval that holds the truth of nine in ten generated sites, and a median error of 2 % at most', async () => {
    const errors: number[] = [];
    let held = 0;
    for (const { pages, cells, sources } of sites()) {
      const { estimate } = await estimateCoverage(cells, sources, { isOver: false, next: async () => undefined });
      if (estimate === undefined) continue;
      errors.push(Math.abs(estimate.pages - pages) / pages);
      if (estimate.low <= pages && pages <= estimate.high) held += 1;
    }
    expect(errors.length).toBeGreaterThan(0.9 * SITES);
    expect(held / errors.length).toBeGreaterThanOrEqual(0.9);
    expect(median(errors)).toBeLessThanOrEqual(0.02);
  });
});
