import type { Figures } from '../archive/figures.ts';
import type { BenchRuns, MadeRecord } from './record.ts';

const RECORD_SECONDS = 5;
/** Number of pages the goals are set for. */
const GOAL_PAGES = 10_000;
const MEMORY_GROWTH = 1.1;

const shown = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
const listText = (values: Readonly<Record<string, number>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ');

/** Prints the cost of the records of three runs, each figure with its goal. */
export function showRuns(figures: Figures, { pages, changed, idleMb, first, second, rested }: BenchRuns): void {
  const name = `${pages} pages, ${changed} changed`;
  for (const { counts, entries } of [second, rested]) {
    const { modified = 0, same = 0 } = counts;
    const isRight = modified === changed && same === pages - changed && entries === changed;
    figures.add(`${name}: pages recorded correctly`, `${modified} modified, ${same} same`, 'exact', isRight);
  }
  showTime(figures, `${name}: run.finished to record`, pages, second);
  showTime(figures, `${name}: the same with an idle archive`, pages, rested);
  figures.add(
    `${name}: bodies opened`,
    `${second.bodies}, ${rested.bodies}`,
    `${2 * changed}, of changed pages`,
    second.bodies === 2 * changed && rested.bodies === 2 * changed,
  );
  const peak = peakOf(second, rested);
  figures.add(`${name}: diff's memory, MB`, `idle ${shown(idleMb)}, peak ${shown(peak)} (+${shown(peak - idleMb)})`);
  figures.add(
    `${pages} pages, the first run`,
    `${shown(first.seconds)} s, ${first.bodies} bodies, peak ${shown(first.peakMb)} MB`,
  );
}

function showTime(figures: Figures, name: string, pages: number, made: MadeRecord): void {
  const isGoal = pages === GOAL_PAGES;
  figures.add(
    `${name}, at load ${made.load}`,
    `${shown(made.seconds)} s`,
    isGoal ? `<= ${RECORD_SECONDS} s` : '',
    isGoal ? made.seconds <= RECORD_SECONDS : undefined,
  );
  figures.add('  of these, s', `${listText(made.stages)}${again(made)}`);
  figures.add('  CPU, s', listText(made.cpuSeconds));
}

const peakOf = (...made: readonly MadeRecord[]): number => Math.max(...made.map(({ peakMb }) => peakMb));

const again = ({ attempts }: MadeRecord): string =>
  attempts > 1 ? ` (${attempts} attempts: rows had not arrived)` : '';

/** Prints whether memory grows with the number of pages. */
export function showGrowth(figures: Figures, small: BenchRuns, large: BenchRuns): void {
  const growth = peakOf(large.second, large.rested) / peakOf(small.second, small.rested);
  figures.add(
    `diff's peak memory, ${large.pages} pages against ${small.pages}`,
    `${shown(growth)} x`,
    `<= ${MEMORY_GROWTH} x`,
    growth <= MEMORY_GROWTH,
  );
}
