import { ADDED } from './align-rows.ts';
import { type Box, union } from './changed-area.ts';

/** Edge length of a cell, pixels. */
export const CELL = 16;
/** Minimum weight of a changed cell: three certain pixels, eight clear ones, or a quarter of the cell blurred. */
export const MIN_CELL_WEIGHT = 64;
/** Maximum distance of changed cells in one area, cells: words of a line, lines of a paragraph. */
const REACH = 2;

interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Weight and number of marked pixels per cell, and their extent. */
  readonly weight: Uint16Array;
  readonly marked: Uint16Array;
  readonly left: Uint16Array;
  readonly right: Uint16Array;
  readonly top: Uint16Array;
  readonly bottom: Uint16Array;
}

/** Clusters marked pixels into boxes: neighbouring changed cells form one box, and so do all cells of an added band. */
export function clusterMarks(marks: Uint8Array, width: number, counterparts: Int32Array): readonly Box[] {
  const grid = buildGrid(marks, width);
  return boxesOf(grid, labelCells(grid, bandsOf(counterparts, grid.rows)));
}

function buildGrid(marks: Uint8Array, width: number): Grid {
  const height = marks.length / width;
  const columns = Math.ceil(width / CELL);
  const rows = Math.ceil(height / CELL);
  const perCell = (): Uint16Array => new Uint16Array(columns * rows);
  const [weight, marked, right, bottom] = [perCell(), perCell(), perCell(), perCell()];
  const [left, top] = [perCell().fill(0xffff), perCell().fill(0xffff)];
  for (let y = 0; y < height; y += 1) {
    const cellRow = Math.floor(y / CELL) * columns;
    for (let x = 0; x < width; x += 1) {
      const mark = marks[y * width + x] ?? 0;
      if (mark === 0) continue;
      const cell = cellRow + Math.floor(x / CELL);
      weight[cell] = (weight[cell] ?? 0) + mark;
      marked[cell] = (marked[cell] ?? 0) + 1;
      left[cell] = Math.min(left[cell] ?? 0, x);
      right[cell] = Math.max(right[cell] ?? 0, x);
      top[cell] = Math.min(top[cell] ?? 0, y);
      bottom[cell] = y;
    }
  }
  return { columns, rows, weight, marked, left, right, top, bottom };
}

/** Returns for each row of cells the number of the added band it overlaps, from 1; 0: none. */
function bandsOf(counterparts: Int32Array, cellRows: number): Uint32Array {
  const bands = new Uint32Array(cellRows);
  let band = 0;
  for (let row = 0; row < counterparts.length; row += 1) {
    if (counterparts[row] !== ADDED) continue;
    if (row === 0 || counterparts[row - 1] !== ADDED) band += 1;
    bands[Math.floor(row / CELL)] = band;
  }
  return bands;
}

/** Returns for each cell the number of its area, from 1; 0: unchanged. */
function labelCells(grid: Grid, bands: Uint32Array): Uint32Array {
  const areas = new AreaLabels(grid, bands);
  for (let cell = 0; cell < areas.labels.length; cell += 1) areas.labelFrom(cell);
  return areas.labels;
}

/** Labels areas of changed cells by flood fill. */
class AreaLabels {
  /** The number of each cell's area, from 1; 0: unchanged, or not reached yet. */
  readonly labels: Uint32Array;
  readonly #grid: Grid;
  readonly #bands: Uint32Array;
  /** Labelled cells whose neighbours are not reached yet. */
  readonly #open: number[] = [];
  #label = 0;

  constructor(grid: Grid, bands: Uint32Array) {
    this.#grid = grid;
    this.#bands = bands;
    this.labels = new Uint32Array(grid.weight.length);
  }

  /** Labels the area of a cell, if it is changed and has none. */
  labelFrom(start: number): void {
    if (!this.#isUnlabelled(start)) return;
    this.#label += 1;
    this.#add(start);
    const { columns, rows } = this.#grid;
    const reachedBands = new Set<number>([0]);
    for (let cell = this.#open.pop(); cell !== undefined; cell = this.#open.pop()) {
      const row = Math.floor(cell / columns);
      const column = cell % columns;
      for (let near = Math.max(row - REACH, 0); near <= Math.min(row + REACH, rows - 1); near += 1)
        this.#reach(near, column - REACH, column + REACH);
      const band = this.#bands[row] ?? 0;
      if (!reachedBands.has(band)) this.#reachBand(band);
      reachedBands.add(band);
    }
  }

  #reachBand(band: number): void {
    for (let row = 0; row < this.#grid.rows; row += 1)
      if (this.#bands[row] === band) this.#reach(row, 0, this.#grid.columns - 1);
  }

  /** Adds the changed cells of a row, from one column to another. */
  #reach(row: number, from: number, to: number): void {
    const { columns } = this.#grid;
    for (let column = Math.max(from, 0); column <= Math.min(to, columns - 1); column += 1) {
      const cell = row * columns + column;
      if (this.#isUnlabelled(cell)) this.#add(cell);
    }
  }

  #isUnlabelled(cell: number): boolean {
    return this.labels[cell] === 0 && (this.#grid.weight[cell] ?? 0) >= MIN_CELL_WEIGHT;
  }

  #add(cell: number): void {
    this.labels[cell] = this.#label;
    this.#open.push(cell);
  }
}

function boxesOf({ marked, left, right, top, bottom }: Grid, labels: Uint32Array): Box[] {
  const boxes = new Map<number, Box>();
  labels.forEach((label, cell) => {
    if (label === 0) return;
    const box: Box = {
      left: left[cell] ?? 0,
      right: right[cell] ?? 0,
      top: top[cell] ?? 0,
      bottom: bottom[cell] ?? 0,
      changed: marked[cell] ?? 0,
      removedRows: 0,
    };
    const known = boxes.get(label);
    boxes.set(label, known === undefined ? box : union(known, box));
  });
  return [...boxes.values()];
}
