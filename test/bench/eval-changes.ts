/**
 * Scores what Tidemark calls a change on pairs that others labelled: Open Terms Archive, lucene.apache.org, EDGI, and cases made to
 * deceive; beside what is to be reached.
 *
 *   npm run eval:changes
 */
import { adversarialPairs, analystPairs, wordBoundaries } from './eval-changes-cases.ts';
import { openTermsPairs } from './eval-changes-pairs.ts';
import { CHANGES, hasChanges } from './eval-changes-readings.ts';
import { luceneSite } from './eval-changes-series.ts';
import { siteGenerations } from './eval-changes-site.ts';
import { printTable } from './eval-totals.ts';

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
    ['figure and goal', 'ours', ''],
    goals.map(({ name, text, met }) => [name, text, met ? 'met' : 'MISSED']),
  );
  if (goals.some(({ met }) => !met)) process.exitCode = 1;
}
