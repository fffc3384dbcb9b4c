import type { Command } from 'commander';
import type { Context } from './context.ts';
import { CliError } from './exit.ts';
import type { Row } from './terminal/output.ts';
import { wholeNumber } from './values.ts';

export interface ListFlags {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Part of a list that is requested: at most `limit` items after the cursor. */
export interface ListRange {
  readonly limit: number;
  readonly cursor?: string;
}

/** Part of a list, and the cursor of the next part; null at the end. */
export interface ListPart<T> {
  readonly data: readonly T[];
  readonly cursor: string | null;
}

/** The command, with the options of every command that prints a list. */
export const addListOptions = (command: Command): Command =>
  command
    .option(
      '--limit <n>',
      'stop after this number of rows and print how to continue; by default all rows',
      wholeNumber(1),
    )
    .option('--cursor <cursor>', 'continue after the rows of an earlier command');

export interface List<T extends object> {
  /** Largest number of items of a request. */
  readonly atOnce: number;
  readonly read: (range: ListRange) => Promise<ListPart<T>>;
  readonly columns: (item: T) => Row;
  /** Prints an item as text instead of a row of a table. */
  readonly text?: (item: T) => string;
}

/** Returns what a request returns, unless the signal aborts before. */
function unlessAborted<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    request()
      .finally(() => signal.removeEventListener('abort', abort))
      .then(resolve, reject);
  });
}

/**
 * Prints a list to its end, or up to `--limit`. Where it stops before the end, also because a request failed or at Ctrl-C, the command that
 * continues is written to stderr: parts are requested so that its cursor follows the last printed row.
 */
export async function printList<T extends object>(
  { out, signal }: Pick<Context, 'out' | 'signal'>,
  { limit, cursor: first }: ListFlags,
  { atOnce, read, columns, text }: List<T>,
): Promise<void> {
  const most = limit ?? Number.POSITIVE_INFINITY;
  let printed = 0;
  let cursor = first;
  let isEnd = false;
  const items = async function* (): AsyncGenerator<T> {
    while (!isEnd && printed < most) {
      const range = { limit: Math.min(atOnce, most - printed) };
      const part = await unlessAborted(signal, () => read(cursor === undefined ? range : { ...range, cursor }));
      const isStalled = part.cursor !== null && part.cursor === cursor;
      if (isStalled && part.data.length > 0)
        throw new CliError('the list does not advance: the server returned the cursor that was sent');
      // Rows that a running run has not made yet.
      if (isStalled) return;
      yield* part.data;
      printed += part.data.length;
      out.progress(`${printed} rows`);
      isEnd = part.cursor === null;
      cursor = part.cursor ?? cursor;
    }
  };
  try {
    await (text === undefined ? out.rows(items(), columns) : out.texts(items(), text));
  } finally {
    out.progress('');
    if (!isEnd && cursor !== undefined)
      out.note(`stopped after ${printed} rows, before the end of the list; continue with --cursor ${cursor}`);
  }
}
