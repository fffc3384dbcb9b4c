import { readFileSync, writeFileSync } from 'node:fs';
import { printTable, show } from '../shared/table.ts';
import type { FoldFigure } from './folds.ts';

/** Figures and page scores of one run, as they are saved. */
export interface SavedRun {
  readonly figures: Record<string, FoldFigure>;
  /** F1 by set and page. */
  readonly pages: Record<string, { f1: number; precision: number; recall: number; type: string }>;
}

/** No type may fall by more than this. */
const TOLERANCE = 0.005;
const SHOWN_PAGES = 14;

export const saveRun = (path: string, run: SavedRun): void => writeFileSync(path, JSON.stringify(run));

/**
 * Compares a run with a saved one: a change of the rules is acceptable when the mean over folds rises and no set or
 * type falls by more than 0.005.
 */
export function compareWith(path: string, run: SavedRun): void {
  const before: SavedRun = JSON.parse(readFileSync(path, 'utf8'));
  const rows = Object.entries(run.figures).flatMap(([name, figure]) => {
    const old = before.figures[name];
    return old ? [{ name, old, figure, change: figure.mean - old.mean }] : [];
  });
  console.log(`change against ${path}`);
  printTable(
    ['figure', 'mean before', 'mean', 'change', 'worst before', 'worst'],
    rows
      .filter(({ change }) => Math.abs(change) >= 0.0005)
      .map(({ name, old, figure, change }) => [
        name,
        show(old.mean),
        show(figure.mean),
        signed(change),
        show(old.worst),
        show(figure.worst),
      ]),
  );
  const falls = rows.filter(({ change }) => change < -TOLERANCE);
  const sum = rows
    .filter(({ name }) => /^\w+(?: structure)?(?:, loopback)?$/.test(name))
    .reduce((total, { change }) => total + change, 0);
  const isAccepted = sum > 0 && falls.length === 0;
  console.log(
    `sum of the sets' changes ${signed(sum)}: ${isAccepted ? 'acceptable' : 'not acceptable'}${falls.length > 0 ? `, falls: ${falls.map(({ name }) => name).join(', ')}` : ''}`,
  );
  printPages(before, run);
}

function printPages(before: SavedRun, run: SavedRun): void {
  const moved = Object.entries(run.pages).flatMap(([key, page]) => {
    const old = before.pages[key];
    return old && Math.abs(page.f1 - old.f1) > 0.004 ? [{ key, page, old, change: page.f1 - old.f1 }] : [];
  });
  moved.sort((a, b) => a.change - b.change);
  console.log(`${moved.length} pages changed, ${moved.filter(({ change }) => change < 0).length} for the worse`);
  const shown = moved.length > SHOWN_PAGES * 2 ? [...moved.slice(0, SHOWN_PAGES), ...moved.slice(-SHOWN_PAGES)] : moved;
  for (const { key, page, old, change } of shown)
    console.log(
      `  ${signed(change)} ${key} ${page.type} P ${show(old.precision)} > ${show(page.precision)} R ${show(old.recall)} > ${show(page.recall)}`,
    );
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
