/**
 * Scores change detection on labelled pairs: Open Terms Archive, lucene.apache.org, EDGI and adversarial cases, and on real pages
 * with link tokens, empty blocks, head lists and counters; each figure with its goal.
 *
 *   npm run eval -- changes [--section labelled,generated]
 */

import { parseArgs } from 'node:util';
import { CHANGES, type Goal, hasChanges } from '../changes/compare-readings.ts';
import { basePages, generatedPairs } from '../changes/generated-pairs.ts';
import { generatedSeries } from '../changes/generated-series.ts';
import { adversarialPairs, analystPairs, wordBoundaries } from '../changes/labelled-cases.ts';
import { openTermsPairs } from '../changes/labelled-pairs.ts';
import { luceneSite } from '../changes/lucene-series.ts';
import { siteGenerations } from '../changes/site-pairs.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable } from '../shared/table.ts';

const { values } = parseArgs({ options: { section: { type: 'string', default: 'labelled,generated' } } });
const sections = values.section.split(',');

async function labelled(): Promise<Goal[]> {
  return [
    ...(await openTermsPairs()),
    ...(await luceneSite()),
    ...(await siteGenerations()),
    ...analystPairs(),
    ...adversarialPairs(),
    ...wordBoundaries(),
  ];
}

async function generated(): Promise<Goal[]> {
  const pages = await basePages();
  return [...(await generatedPairs(pages)), ...(await generatedSeries(pages))];
}

if (!hasChanges()) {
  notMeasured('changes', `there are no labelled pairs at ${CHANGES}`);
} else {
  const goals = [
    ...(sections.includes('labelled') ? await labelled() : []),
    ...(sections.includes('generated') ? await generated() : []),
  ];
  console.log('targets');
  printTable(
    ['figure and goal', 'Tidemark', ''],
    goals.map(({ name, text, met }) => [name, text, met ? 'met' : 'MISSED']),
  );
  if (goals.some(({ met }) => !met)) process.exitCode = 1;
}
