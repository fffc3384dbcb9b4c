import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';
import { ShapeRunner } from '@tidemark/expressions';
import type { DestinationShape } from '../domain/destination.ts';
import { FIELDS_VARIABLE, outputColumns, toCompiledShape, variablesOf } from './parse-shape.ts';

/** A cell that could not be computed; it is null. `column` is undefined for the condition, whose row is left out. */
export interface FailedCell {
  readonly column: string | undefined;
  readonly message: string;
}

/** What is written of a row: its columns in the destination, by name. */
export interface OutputRow {
  /** Index of the row in its batch. */
  readonly index: number;
  readonly values: Row;
}

/** Most failed cells that are described; the number of all of them is counted. */
const MAX_FAILURES = 100;
const TABLE_NAME = /^[a-z][a-z0-9_]{0,62}$/;

/** Converts rows of a dataset to rows of a destination: applies the shape and the choice of columns. Close it after use. */
export class RowShaper {
  readonly columns: readonly Column[];
  /** Sentences about columns that are left out. */
  readonly warnings: readonly string[];
  readonly failures: FailedCell[] = [];
  /** Number of cells that could not be computed. */
  failed = 0;
  readonly #runner: ShapeRunner | undefined;
  readonly #isComputed: boolean;
  /** Name in the dataset of each column that is written as it is. */
  readonly #sources: readonly (readonly [string, string])[];

  /** @param dataset columns of the rows */
  constructor(
    dataset: readonly Column[],
    { shape, columns: chosen }: { readonly shape: DestinationShape | undefined; readonly columns: readonly string[] },
  ) {
    const named = nameColumns(dataset);
    const compiled = toCompiledShape(shape);
    const variables = dataset.some(({ name }) => name === 'fields') ? dataset : [...dataset, FIELDS_VARIABLE];
    this.#runner = compiled === undefined ? undefined : new ShapeRunner(compiled, variablesOf(variables));
    this.#isComputed = (shape?.columns.length ?? 0) > 0;
    const output = outputColumns(shape, named.columns);
    const byName = new Map(output.map((column) => [column.name, column]));
    this.columns = chosen.length === 0 ? output : chosen.flatMap((name) => byName.get(name) ?? []);
    const missing = chosen.filter((name) => !byName.has(name));
    this.warnings = [
      ...(this.#isComputed ? [] : named.warnings),
      ...missing.map((name) => `the run has no column ${name}: it was left out`),
    ];
    this.#sources = this.columns.map(({ name }) => [name, named.sources.get(name) ?? name]);
  }

  /** @throws ExpressionError if the shape takes more time or memory than it may */
  async apply(rows: readonly Row[]): Promise<OutputRow[]> {
    if (this.#runner === undefined) return rows.map((row, index) => ({ index, values: this.#rename(row) }));
    const shaped = await this.#runner.run(rows.map((row) => ({ fields: null, ...row })));
    this.failed += shaped.failed;
    for (const { column, message } of shaped.failures)
      if (this.failures.length < MAX_FAILURES) this.failures.push({ column, message });
    return shaped.kept.map((index, at) => ({
      index,
      values: this.#isComputed ? (shaped.rows[at] ?? {}) : this.#rename(rows[index] ?? {}),
    }));
  }

  async close(): Promise<void> {
    await this.#runner?.close();
  }

  #rename(row: Row): Row {
    return Object.fromEntries(this.#sources.map(([name, source]) => [name, row[source] ?? null]));
  }
}

/** Returns columns under names that every database accepts. Of two columns that would have one name, the first is kept. */
function nameColumns(dataset: readonly Column[]) {
  const sources = new Map<string, string>();
  const columns: Column[] = [];
  const warnings: string[] = [];
  for (const column of dataset) {
    const name = tableName(column.name);
    if (name === undefined || sources.has(name)) {
      warnings.push(`the column ${column.name.slice(0, 80)} has no name of its own in a table: it was left out`);
      continue;
    }
    sources.set(name, column.name);
    columns.push({ ...column, name });
  }
  return { sources, columns, warnings };
}

/** Converts the name of a column to one of a-z, 0-9 and _: `crawledAt` to `crawled_at`. Undefined: nothing of it is left. */
function tableName(name: string): string | undefined {
  const plain = name
    .replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`)
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, 'f_')
    .slice(0, 63);
  return TABLE_NAME.test(plain) ? plain : undefined;
}
