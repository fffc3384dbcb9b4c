import type { DatasetName } from './datasets.ts';

/** Datasets that can be written to a destination. */
export const DESTINATION_DATASETS = [
  'pages',
  'markdown',
  'fields',
  'changes',
  'sitemap',
] as const satisfies readonly DatasetName[];
export type DestinationDataset = (typeof DESTINATION_DATASETS)[number];

/**
 * How a sync changes its destination. `append`: adds the rows of each run; syncing a run again replaces its rows. `upsert`: one row per
 * key, the newest capture wins. `mirror`: as upsert, and rows that a complete run no longer has are marked as deleted.
 */
export const DESTINATION_MODES = ['upsert', 'append', 'mirror'] as const;
export type DestinationMode = (typeof DESTINATION_MODES)[number];

/** Formats of the files of a destination. */
export const DESTINATION_FORMATS = ['jsonl', 'csv', 'parquet'] as const;
export type DestinationFormat = (typeof DESTINATION_FORMATS)[number];

/** Compressions of exported files. */
export const COMPRESSIONS = ['none', 'gzip', 'zstd'] as const;
export type Compression = (typeof COMPRESSIONS)[number];
