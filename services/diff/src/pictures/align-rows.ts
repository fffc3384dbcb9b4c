import { findShifts } from './find-shifts.ts';
import { type RowProfile, rowDistance } from './row-profile.ts';

/** Maximum cost of a differing row, cost of an added or removed row, and cost of a shift change. */
const ROW_COST = 60;
const UNPAIRED_COST = 30;
const SEAM_COST = 6 * ROW_COST;

/** A row of the later picture that is new. */
export const ADDED = -1;
/** A row below the lower edge of the earlier picture: unknown. */
export const UNKNOWN = -2;

/** Rows `from` to `to` (exclusive) of the earlier picture, removed above row `at` of the later one. */
export interface RemovedBand {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface RowAlignment {
  /** For each row of the later picture the compared row of the earlier one, `ADDED` or `UNKNOWN`. */
  readonly counterparts: Int32Array;
  /** Top to bottom. */
  readonly removed: readonly RemovedBand[];
}

/** Whether the lower edge cuts the page. */
export interface Edges {
  readonly isBeforeCut: boolean;
  readonly isAfterCut: boolean;
}

/**
 * Aligns the rows of two pictures in order, so that an inserted or removed band shifts the rest instead of changing it.
 * Finds the cheapest path over the shifts (Viterbi): a row costs its difference; a shift change costs a constant and
 * the rows added or removed there.
 */
export function alignRows(before: RowProfile, after: RowProfile, edges: Edges): RowAlignment {
  const shifts = findShifts(before, after);
  const path = cheapestPath(before, after, shifts, edges);
  return traceBack(path, shifts, { before: before.rows, after: after.rows, ...edges });
}

interface Path {
  /** For each row and shift the index in `shifts` of its predecessor. */
  readonly previousState: Uint8Array;
  /** Index of the last shift. */
  readonly last: number;
}

/** Costs of the cheapest paths to each row and shift. Row 0 is above the pictures, with shift 0. */
interface CostTable {
  readonly shifts: readonly number[];
  readonly costs: Float64Array;
}

/** Returns the cost of a path that reaches `row` with `shift` from the shift of index `from`, without that of the row itself. */
function costFrom({ shifts, costs }: CostTable, from: number, row: number, shift: number): number {
  const added = shift - (shifts[from] ?? 0);
  const above = row - Math.max(added, 0);
  if (above < 0) return Number.POSITIVE_INFINITY;
  const seam = added === 0 ? 0 : SEAM_COST + UNPAIRED_COST * Math.abs(added);
  return (costs[above * shifts.length + from] ?? 0) + seam;
}

/** Returns the index of the shift from which `row` is reached with `shift` at the lowest cost. */
function cheapestState(table: CostTable, row: number, shift: number): number {
  let cheapest = 0;
  let lowest = costFrom(table, 0, row, shift);
  for (let from = 1; from < table.shifts.length; from += 1) {
    const cost = costFrom(table, from, row, shift);
    if (cost >= lowest) continue;
    lowest = cost;
    cheapest = from;
  }
  return cheapest;
}

function cheapestPath(before: RowProfile, after: RowProfile, shifts: readonly number[], edges: Edges): Path {
  const states = shifts.length;
  const previousState = new Uint8Array(after.rows * states);
  const costs = new Float64Array((after.rows + 1) * states).fill(Number.POSITIVE_INFINITY);
  costs[shifts.indexOf(0)] = 0;
  const table: CostTable = { shifts, costs };
  for (let row = 0; row < after.rows; row += 1) {
    for (let to = 0; to < states; to += 1) {
      const shift = shifts[to] ?? 0;
      const counterpart = row - shift;
      if (counterpart < 0) continue;
      const from = cheapestState(table, row, shift);
      previousState[row * states + to] = from;
      const differs =
        counterpart < before.rows ? Math.min(rowDistance(before, counterpart, after, row), ROW_COST) : UNPAIRED_COST;
      costs[(row + 1) * states + to] = costFrom(table, from, row, shift) + differs;
    }
  }
  const ends = shifts.map((shift, state) => {
    const left = edges.isAfterCut ? 0 : Math.max(before.rows - after.rows + shift, 0);
    return (costs[after.rows * states + state] ?? 0) + left * UNPAIRED_COST;
  });
  return { previousState, last: ends.indexOf(Math.min(...ends)) };
}

interface Ends extends Edges {
  /** Number of rows of each picture. */
  readonly before: number;
  readonly after: number;
}

function traceBack({ previousState, last }: Path, shifts: readonly number[], ends: Ends): RowAlignment {
  const counterparts = new Int32Array(ends.after).fill(ADDED);
  const removed: RemovedBand[] = [];
  let state = last;
  let row = ends.after - 1;
  const rest = ends.after - (shifts[state] ?? 0);
  if (rest < ends.before && !ends.isAfterCut) removed.push({ at: ends.after, from: rest, to: ends.before });
  while (row >= 0) {
    const shift = shifts[state] ?? 0;
    const counterpart = row - shift;
    counterparts[row] = counterpart < ends.before ? counterpart : ends.isBeforeCut ? UNKNOWN : ADDED;
    const next = previousState[row * shifts.length + state] ?? 0;
    const added = shift - (shifts[next] ?? 0);
    if (added < 0) removed.push({ at: row, from: counterpart + added, to: counterpart });
    row -= 1 + Math.max(added, 0);
    state = next;
  }
  return { counterparts, removed: removed.reverse() };
}
