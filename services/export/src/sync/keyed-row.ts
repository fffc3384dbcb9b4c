import type { DatasetRow as Row } from '@tidemark/datasets';
import type { PageChange } from '../destinations/driver.ts';

/** A row of a dataset, with its key and the time of its capture. */
export interface KeyedRow {
  readonly row: Row;
  readonly key: readonly unknown[];
  readonly crawledAt: Date;
  readonly change: PageChange | undefined;
}

export interface KeyedBatch {
  readonly rows: readonly KeyedRow[];
  readonly last: number;
}
