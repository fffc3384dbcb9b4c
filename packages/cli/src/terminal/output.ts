export type Row = Readonly<Record<string, unknown>>;

export interface OutputOptions {
  /** JSON instead of text. */
  readonly json?: boolean | undefined;
  /** Names of the fields, separated by commas: JSON with these alone. */
  readonly fields?: string | undefined;
}

const WIDE = 60;

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'object') return Array.isArray(value) ? value.map(cellOf).join(',') : JSON.stringify(value);
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
  readonly #fields: readonly string[];

  constructor({ json, fields }: OutputOptions) {
    this.isJson = json === true || fields !== undefined;
    this.#fields = fields?.split(',').map((name) => name.trim()) ?? [];
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

  /** Writes one object: as JSON, or as `name  value` lines. */
  object(row: object): void {
    if (this.isJson) {
      this.record(row);
      return;
    }
    const entries = Object.entries(row);
    const width = Math.max(...entries.map(([name]) => name.length));
    for (const [name, value] of entries) this.text(`${name.padEnd(width)}  ${cellOf(value)}`);
  }

  /** Writes rows as they come: a line of JSON each, or aligned columns; without a terminal the columns are separated by tabs. */
  async rows<T extends object>(rows: AsyncIterable<T> | Iterable<T>, columns: (row: T) => Row): Promise<number> {
    let count = 0;
    const held: Row[] = [];
    for await (const row of rows) {
      count += 1;
      if (this.isJson) this.record(row);
      else if (process.stdout.isTTY) held.push(columns(row));
      else this.#tabbed(columns(row), count === 1);
    }
    if (held.length > 0) this.#table(held);
    if (count === 0 && !this.isJson) this.note('none');
    return count;
  }

  #selected(row: object): object {
    if (this.#fields.length === 0) return row;
    const entries = new Map(Object.entries(row));
    return Object.fromEntries(this.#fields.map((name) => [name, entries.get(name) ?? null]));
  }

  #tabbed(row: Row, isFirst: boolean): void {
    if (isFirst) this.text(Object.keys(row).join('\t'));
    this.text(Object.values(row).map(cellOf).join('\t'));
  }

  #table(rows: readonly Row[]): void {
    const names = Object.keys(rows[0] ?? {});
    const cells = rows.map((row) => names.map((name) => shortened(cellOf(row[name]), WIDE)));
    const widths = names.map((name, column) =>
      Math.max(name.length, ...cells.map((line) => (line[column] ?? '').length)),
    );
    for (const line of [names, ...cells])
      this.text(
        line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      );
  }
}
