import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';
import { type ZipEntry, zipEntries } from '../zip/zip-entries.ts';
import { CutCells, cutCellsSheet, headerRow, MAX_SHEET_ROWS, rowXml, SHEET_END, SHEET_START } from './sheet-xml.ts';
import { workbookParts } from './workbook-xml.ts';

/** Compression level: higher ones take more time than they save bytes in sheets. */
const LEVEL = 1;

/**
 * Encodes batches of rows as a workbook. Rows beyond a sheet's limit continue on a further sheet. Where texts are longer than a cell holds, a last
 * sheet lists the cut cells.
 */
export function encodeXlsx(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly Column[],
): AsyncGenerator<Uint8Array> {
  return zipEntries(workbookEntries(batches, columns), LEVEL);
}

async function* workbookEntries(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly Column[],
): AsyncGenerator<ZipEntry> {
  const rows = new BatchReader(batches);
  const cut = new CutCells();
  let sheets = 0;
  try {
    do {
      sheets += 1;
      yield { name: `xl/worksheets/sheet${sheets}.xml`, content: sheetParts(rows, columns, sheets, cut) };
    } while (!(await rows.isAtEnd()));
  } finally {
    await rows.close();
  }
  const nameOf = (sheet: number): string => (sheets === 1 ? 'Sheet' : `Sheet ${sheet}`);
  const names = Array.from({ length: sheets }, (_, index) => nameOf(index + 1));
  if (cut.count > 0) {
    names.push('Cut cells');
    yield { name: `xl/worksheets/sheet${names.length}.xml`, content: cutCellsSheet(cut, nameOf) };
  }
  for (const [name, content] of workbookParts(names)) yield { name, content };
}

async function* sheetParts(
  rows: BatchReader,
  columns: readonly Column[],
  sheet: number,
  cut: CutCells,
): AsyncGenerator<string> {
  yield SHEET_START + headerRow(columns);
  let written = 1;
  while (written < MAX_SHEET_ROWS) {
    const batch = await rows.take(MAX_SHEET_ROWS - written);
    if (batch.length === 0) break;
    const first = written + 1;
    written += batch.length;
    yield batch.map((row, at) => rowXml(row, columns, { sheet, row: first + at }, cut)).join('');
  }
  yield SHEET_END;
}

/** Reads rows of batches in parts of at most a given number. */
class BatchReader {
  readonly #batches: AsyncIterator<readonly Row[]>;
  #rest: readonly Row[] = [];

  constructor(batches: AsyncIterable<readonly Row[]>) {
    this.#batches = batches[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#batches.next();
      if (next.done) return true;
      this.#rest = next.value;
    }
    return false;
  }

  /** Ends the source of the batches. */
  async close(): Promise<void> {
    await this.#batches.return?.();
  }

  /** Returns 1 to `limit` rows; none at the end. */
  async take(limit: number): Promise<readonly Row[]> {
    if (await this.isAtEnd()) return [];
    const taken = this.#rest.slice(0, limit);
    this.#rest = this.#rest.slice(limit);
    return taken;
  }
}
