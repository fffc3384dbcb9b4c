import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';
import { type ZipEntry, zipEntries } from '../zip/zip-entries.ts';
import { type CutCells, headerRow, MAX_SHEET_ROWS, rowXml, SHEET_END, SHEET_START } from './sheet-xml.ts';
import { workbookParts } from './workbook-xml.ts';

/** Compression level: higher ones take more time than they save bytes in sheets. */
const LEVEL = 1;

/**
 * Encodes batches of rows as a workbook. Rows beyond a sheet's limit continue on a further sheet.
 * @param cut receives the number of cells that were cut at Excel's limit
 */
export function encodeXlsx(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly Column[],
  cut: CutCells = { count: 0 },
): AsyncGenerator<Uint8Array> {
  return zipEntries(workbookEntries(batches, columns, cut), LEVEL);
}

async function* workbookEntries(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly Column[],
  cut: CutCells,
): AsyncGenerator<ZipEntry> {
  const rows = new BatchReader(batches);
  let sheets = 0;
  try {
    do {
      sheets += 1;
      yield { name: `xl/worksheets/sheet${sheets}.xml`, content: sheetParts(rows, columns, cut) };
    } while (!(await rows.isAtEnd()));
  } finally {
    await rows.close();
  }
  for (const [name, content] of workbookParts(sheets)) yield { name, content };
}

async function* sheetParts(rows: BatchReader, columns: readonly Column[], cut: CutCells): AsyncGenerator<string> {
  yield SHEET_START + headerRow(columns);
  let left = MAX_SHEET_ROWS - 1;
  while (left > 0) {
    const batch = await rows.take(left);
    if (batch.length === 0) break;
    left -= batch.length;
    yield batch.map((row) => rowXml(row, columns, cut)).join('');
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
