import type { CallContext, Peer } from '@tidemark/service';

/** The services that hold the rows of the datasets. */
export interface SourcePeers {
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly diff: Peer;
  readonly map: Peer;
}

/** The rows of a dataset, in batches. */
export interface OpenDataset<Row> {
  readonly batches: AsyncIterable<readonly Row[]>;
  /** Number of rows; undefined: unknown in advance. */
  readonly rows: number | undefined;
  /** The run has ended: these are all its rows. */
  readonly isComplete: boolean;
}

export interface SourceContext {
  readonly peers: SourcePeers;
  readonly call: CallContext;
  /** Aborted when the reader of the file has gone. */
  readonly signal: AbortSignal;
}
