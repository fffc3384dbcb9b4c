import type pg from 'pg';

/** A column that a statement returns, as PostgreSQL describes it. */
export interface DescribedColumn {
  readonly name: string;
  /** The table of the column and its number there; 0: an expression. */
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
}

/** Parses and describes one statement without running it (PostgreSQL, "Extended Query": Parse, Describe, Sync). */
class Description implements pg.Submittable {
  readonly #text: string;
  readonly #settle: PromiseWithResolvers<readonly DescribedColumn[]>;
  #columns: readonly DescribedColumn[] = [];

  constructor(text: string, settle: PromiseWithResolvers<readonly DescribedColumn[]>) {
    this.#text = text;
    this.#settle = settle;
  }

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly DescribedColumn[] }): void {
    this.#columns = fields;
  }

  handleError(error: Error): void {
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settle.resolve(this.#columns);
  }
}

/** Returns the columns of a statement, none for one without rows. @throws Error of PostgreSQL for a statement that it refuses */
export function describeStatement(client: pg.ClientBase, text: string): Promise<readonly DescribedColumn[]> {
  const settle = Promise.withResolvers<readonly DescribedColumn[]>();
  client.query(new Description(text, settle));
  return settle.promise;
}
