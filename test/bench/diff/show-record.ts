import type { Figures } from '../archive/figures.ts';
import { loadNow } from '../crawl/cost.ts';
import type { MadeRecord, TwoRuns } from './record.ts';

const RECORD_SECONDS = 5;
/** The size the goals are set for. */
const GOAL_PAGES = 10_000;
const MEMORY_GROWTH = 1.1;

const shown = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
const beside = (values: Readonly<Record<string, number>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ');

/** Says what the records of two runs took, each figure beside its goal. */
export function showRuns(figures: Figures, { pages, changed, idleMb, first, second }: TwoRuns): void {
  const { modified = 0, same = 0 } = second.counts;
  const isRight = modified === changed && same === pages - changed && second.entries === changed;
  const name = `${pages} pages, ${changed} changed`;
  figures.add(`${name}: pages told right`, `${modified} modified, ${same} same`, 'exact', isRight);
  figures.add(
    `${name}: run.finished to record, at load ${loadNow()}`,
    `${shown(second.seconds)} s`,
    pages === GOAL_PAGES ? `<= ${RECORD_SECONDS} s` : '',
    pages === GOAL_PAGES ? second.seconds <= RECORD_SECONDS : undefined,
  );
  figures.add(`${name}: of these, s`, `${beside(second.stages)}${again(second)}`);
  figures.add(`${name}: CPU, s`, beside(second.cpuSeconds));
  figures.add(
    `${name}: bodies opened`,
    String(second.bodies),
    `<= ${2 * changed}, of changed pages`,
    second.bodies <= 2 * changed,
  );
  figures.add(
    `${name}: diff's memory, MB`,
    `idle ${shown(idleMb)}, peak ${shown(second.peakMb)} (+${shown(second.peakMb - idleMb)})`,
  );
  figures.add(
    `${pages} pages, the first run`,
    `${shown(first.seconds)} s, ${first.bodies} bodies, peak ${shown(first.peakMb)} MB`,
  );
}

const again = ({ attempts }: MadeRecord): string =>
  attempts > 1 ? ` (begun ${attempts} times: rows were on their way)` : '';

/** Says whether memory grows with the number of pages. */
export function showGrowth(figures: Figures, small: TwoRuns, large: TwoRuns): void {
  const growth = large.second.peakMb / small.second.peakMb;
  figures.add(
    `diff's peak memory, ${large.pages} pages against ${small.pages}`,
    `${shown(growth)} x`,
    `<= ${MEMORY_GROWTH} x`,
    growth <= MEMORY_GROWTH,
  );
}
