/**
 * Repairs selectors that people have repaired, and says whether ours find the same; then compares what ours hold on to with what people chose.
 *
 *   npm run eval -- selectors
 */
import { styleOf } from '../../services/diff/src/selectors/selector-style.ts';
import { hasRepairs, readRepairs, repairFigures } from '../selectors/repairs.ts';
import { printStyles } from '../selectors/styles.ts';
import { printTable } from '../shared/table.ts';

/** As like the place the human chose as this, and it is the same place. */
const SAME_PLACE = 0.95;
const GOAL = 8;

if (!hasRepairs()) {
  console.log('skipped: ../shared/corpora/changes/selector-repairs is not there');
} else {
  const figures = readRepairs().map(repairFigures);
  printTable(
    ['page', 'broke', 'human', 'ours', 'style', 'confidence', 'dice', 'ms'],
    figures.map((one) => [
      one.page,
      one.broken,
      one.human,
      one.ours,
      one.ours === '' ? '' : styleOf(one.ours),
      one.confidence.toFixed(3),
      one.dice.toFixed(3),
      one.ms.toFixed(0),
    ]),
  );
  const right = figures.filter((one) => one.dice >= SAME_PLACE).length;
  console.log(`\nthe human's place: ${right} of ${figures.length} (goal ${GOAL})\n`);
  printStyles();
  if (right < GOAL) process.exitCode = 1;
}
