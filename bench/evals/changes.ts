/**
 * Scores change detection on labelled pairs: Open Terms Archive, lucene.apache.org, EDGI and adversarial cases; each figure with
 * its goal.
 *
 *   npm run eval -- changes
 */

import { CHANGES, hasChanges } from '../changes/compare-readings.ts';
import { adversarialPairs, analystPairs, wordBoundaries } from '../changes/labelled-cases.ts';
import { openTermsPairs } from '../changes/labelled-pairs.ts';
import { luceneSite } from '../changes/lucene-series.ts';
import { siteGenerations } from '../changes/site-pairs.ts';
import { printTable } from '../shared/table.ts';

if (!hasChanges()) {
  console.log(`no labelled pairs at ${CHANGES}: nothing scored`);
} else {
  const goals = [
    ...(await openTermsPairs()),
    ...(await luceneSite()),
    ...(await siteGenerations()),
    ...analystPairs(),
    ...adversarialPairs(),
    ...wordBoundaries(),
  ];
  console.log('targets');
  printTable(
    ['figure and goal', 'Tidemark', ''],
    goals.map(({ name, text, met }) => [name, text, met ? 'met' : 'MISSED']),
  );
  if (goals.some(({ met }) => !met)) process.exitCode = 1;
}
