/**
 * Repairs selectors that people have repaired, compares the results, and compares the styles of both.
 *
 *   npm run eval -- selectors
 */
import { styleOf } from '../../services/diff/src/selectors/selector-style.ts';
import { hasRepairs, readRepairs, repairFigures } from '../selectors/repairs.ts';
import { printStyles } from '../selectors/styles.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable } from '../shared/table.ts';

/** From this similarity on, our element counts as the person's element. */
const SAME_PLACE = 0.95;
const GOAL = 8;

if (!hasRepairs()) {
  notMeasured('selectors', '../shared/corpora/changes/selector-repairs does not exist');
} else {
  const figures = readRepairs().map(repairFigures);
  printTable(
    ['page', 'broke', 'human', 'Tidemark', 'style', 'confidence', 'dice', 'ms'],
    figures.map((one) => [
      one.page,
      one.broken,
      one.human,
      one.tidemark,
      one.tidemark === '' ? '' : styleOf(one.tidemark),
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
