type Scalar = string | number | boolean | null | undefined;
/** A row of a table: names and numbers, and lists of them. Objects are no cells; `--json` prints them. */
export type Row = Readonly<Record<string, Scalar | readonly Scalar[]>>;

export interface OutputOptions {
  /** JSON instead of text. */
  readonly json?: boolean | undefined;
  /** Names of the fields, separated by commas: JSON with these alone. */
  readonly fields?: string | undefined;
}

const WIDE = 60;

/** Rows of a table whose widths decide those of its columns. */
const MEASURED_ROWS = 500;

const cellOf = (value: Row[string]): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'object') return value.map(cellOf).join(',');
  return String(value).replace(/\s+/g, ' ');
};

const shortened = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;

/** Control characters and escape sequences of other people's pages do not reach the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
const withoutControls = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

/** Writes data to stdout and all else to stderr. */
export class Output {
  readonly isJson: boolean;
  /** The fields that `--fields` names; none: all. */
  readonly fields: readonly string[];

  constructor({ json, fields }: OutputOptions) {
    this.isJson = json === true || fields !== undefined;
    this.fields = fields?.split(',').map((name) => name.trim()) ?? [];
  }

  /** Writes text as it is. */
  text(text: string): void {
    const shown = process.stdout.isTTY ? withoutControls(text) : text;
    process.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  }

  note(text: string): void {
    process.stderr.write(`${withoutControls(text)}\n`);
  }

  /** Writes one object as a line of JSON. */
  record(row: object): void {
    process.stdout.write(`${JSON.stringify(this.#selected(row))}\n`);
  }

  /** Writes one object as JSON: on a line of its own, or indented for people. */
  document(value: object): void {
    if (this.isJson) this.record(value);
    else this.text(JSON.stringify(value, null, 2));
  }

  /** Writes one object: as JSON, or as `name  value` lines. */
  object(row: Row): void {
    if (this.isJson) {
      this.record(row);
      return;
    }
    const entries = Object.entries(row);
    const width = Math.max(...entries.map(([name]) => name.length));
    for (const [name, value] of entries) this.text(`${name.padEnd(width)}  ${cellOf(value)}`);
  }

  /** Shows progress on the last line of a terminal, instead of the earlier one; empty removes it. Nothing where stdout is the terminal too. */
  progress(text: string): void {
    if (process.stderr.isTTY && !process.stdout.isTTY) process.stderr.write(`\r\u001b[K${withoutControls(text)}`);
  }

  /**
   * Writes rows as they come: a line of JSON each, or aligned columns; without a terminal the columns are separated by tabs. Rows that were
   * read before a failure are written too.
   */
  async rows<T extends object>(rows: AsyncIterable<T> | Iterable<T>, columns: (row: T) => Row): Promise<number> {
    let count = 0;
    const table = new Table((line) => this.text(line));
    try {
      for await (const row of rows) {
        count += 1;
        if (this.isJson) this.record(row);
        else if (process.stdout.isTTY) table.add(columns(row));
        else this.#tabbed(columns(row), count === 1);
      }
    } finally {
      table.end();
    }
    if (count === 0 && !this.isJson) this.note('none');
    return count;
  }

  /** Writes items as they come: a line of JSON each, or the text of each. */
  async texts<T extends object>(items: AsyncIterable<T> | Iterable<T>, textOf: (item: T) => string): Promise<void> {
    for await (const item of items) {
      if (this.isJson) this.record(item);
      else this.text(textOf(item));
    }
  }

  #selected(row: object): object {
    if (this.fields.length === 0) return row;
    const entries = new Map(Object.entries(row));
    return Object.fromEntries(this.fields.map((name) => [name, entries.get(name) ?? null]));
  }

  #tabbed(row: Row, isFirst: boolean): void {
    if (isFirst) this.text(Object.keys(row).join('\t'));
    this.text(Object.values(row).map(cellOf).join('\t'));
  }
}

/** Writes rows as aligned columns. The first rows are held until the widths of the columns are known. */
class Table {
  readonly #write: (line: string) => void;
  #held: Row[] = [];
  #widths: readonly number[] | undefined;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  add(row: Row): void {
    if (this.#widths === undefined) this.#held.push(row);
    else this.#line(Object.values(row).map(cellOf));
    if (this.#held.length === MEASURED_ROWS) this.end();
  }

  /** Writes the rows that are held. */
  end(): void {
    const [first] = this.#held;
    if (first === undefined) return;
    const lines = [Object.keys(first), ...this.#held.map((row) => Object.values(row).map(cellOf))];
    this.#held = [];
    this.#widths = Object.keys(first).map((_, column) =>
      Math.min(WIDE, Math.max(...lines.map((line) => (line[column] ?? '').length))),
    );
    for (const line of lines) this.#line(line);
  }

  #line(cells: readonly string[]): void {
    const widths = this.#widths ?? [];
    this.#write(
      cells
        .map((cell, column) => shortened(cell, WIDE).padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}
