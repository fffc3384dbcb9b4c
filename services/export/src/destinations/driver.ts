import type {
  DatasetColumn as Column,
  DestinationFormat,
  DestinationMode,
  DatasetRow as Row,
} from '@tidemark/datasets';
import type { DialTcp } from '@tidemark/egress';
import type { Values } from '../domain/connection.ts';

/** What one sync writes. */
export interface SyncPlan {
  /** Identifies the sync in the destination's ledger: writing it again has no effect. */
  readonly syncId: string;
  /** Empty: a scrape, a batch or a crawl without a project. */
  readonly projectId: string;
  readonly dataset: string;
  /** The run, or the job of a scrape or a batch. */
  readonly runId: string;
  readonly runAt: Date;
  /** Table of a destination of rows. */
  readonly table: string;
  readonly mode: DestinationMode;
  /** Columns of the rows, by their names in the destination, without the meta columns. */
  readonly columns: readonly Column[];
  /**
   * A full run of a project. Only full runs are skipped where the destination already has a newer one, except in append. False: a recrawl,
   * a batch or a scrape, whose rows are compared one by one.
   */
  readonly isFullRun: boolean;
  /** False: the run does not cover the site; mirror then deletes nothing. */
  readonly isWholeSite: boolean;
  /** The columns of a table that exists must fit: none is added or left out. A destination of files ignores it. */
  readonly freeze: boolean;
  /** How a destination of files writes; a destination of rows ignores it. */
  readonly files: FilePlan;
}

export interface FilePlan {
  /** Folder in the bucket or directory, without slashes at its ends; empty: the root. */
  readonly path: string;
  readonly format: DestinationFormat;
  readonly compression: 'none' | 'gzip' | 'zstd';
}

export type PageChange = 'added' | 'modified' | 'same';

/** A row as a destination stores it: `values` by column, with the time of its capture. */
export interface SyncRow {
  /** Identifies the row within a project and dataset; see `rowIdOf`. */
  readonly key: readonly unknown[];
  readonly values: Row;
  readonly crawledAt: Date;
  /** How the page differs from the run before; undefined: not known. */
  readonly change?: PageChange | undefined;
}

export interface SyncBatch {
  /** At most 1,000 rows. */
  readonly rows: readonly SyncRow[];
  /** Rows of the source left out of `rows` because the destination can not store them; none where it is absent. */
  readonly skipped?: number;
  /** Position behind the last row: `read(last)` continues there. */
  readonly last: number;
}

/** The rows of a sync. They do not change: reading again returns the same rows in the same order. */
export interface SyncSource {
  /** Reads the rows behind a position; 0: all rows. */
  read(after: number): AsyncIterable<SyncBatch>;
}

/** A whole object that a destination of files has stored. */
export interface StoredPart {
  /** From 0, without gaps. */
  readonly number: number;
  /** Name of the object below the folder of the run. */
  readonly name: string;
  readonly rows: number;
  /** Rows left out between the part before it and `last`. */
  readonly skipped: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Position behind its last row. */
  readonly last: number;
}

/** The attempt at a sync that a driver takes part in. */
export interface SyncAttempt {
  /** Aborted when the sync is cancelled, its destination is deleted or another instance continues it. */
  readonly signal: AbortSignal;
  /** Parts that earlier attempts have stored, in order. An attempt continues behind the last one. */
  readonly parts: readonly StoredPart[];
  /** Records a part that is stored, before the next is written. @throws if the sync belongs to another instance now */
  recordPart(part: StoredPart): Promise<void>;
  /** Reports the rows read so far; costs nothing. */
  reportProgress(rowsRead: number): void;
}

export interface SyncOutcome {
  /** `skipped`: a newer run is already in the destination. */
  readonly status: 'done' | 'skipped';
  readonly read: number;
  readonly written: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Rows left out because the destination can not store them, as the batches count them; kept with the sync in the destination. */
  readonly skipped: number;
  /** Bytes of the files that were written; 0 for rows. */
  readonly bytes: number;
  /** Sentences for the user: columns left out, rows not deleted. */
  readonly warnings: readonly string[];
  /** Where the rows are: a table or a path, without secrets. */
  readonly location: string;
}

export const TEST_STEPS = ['address', 'connect', 'sign_in', 'write', 'mode'] as const;

/** One step of a test of a destination. */
export interface TestStep {
  readonly name: (typeof TEST_STEPS)[number];
  readonly ok: boolean;
  /** Sentence for the user, without secrets. */
  readonly message: string;
  /** Values that the test determined and that are stored in the connection's config, such as the key of an SSH server. */
  readonly learned?: Values;
}

/** Access to one destination. */
export interface Driver {
  /** Tests the destination in the order of TEST_STEPS; ends after the first failed step. Leaves nothing behind. */
  test(mode: DestinationMode, signal: AbortSignal): AsyncIterable<TestStep>;
  /** Writes a sync completely or not at all. Idempotent by `syncId`. @throws DestinationError, EgressRefused, FetchFailed */
  write(plan: SyncPlan, source: SyncSource, attempt: SyncAttempt): Promise<SyncOutcome>;
}

/** Values of a connection, validated against its provider. */
export interface DriverSettings {
  /** Includes the fallbacks of fields that are not set. Ports are decimal texts. */
  readonly config: Values;
  readonly secrets: Values;
}

/**
 * A kind of destination. To add one: a folder `destinations/<kind>/` whose file `<kind>-kind.ts` exports a DriverKind, a line in
 * `src/driver-kinds.ts`, and the providers of the kind in `domain/providers/`, which exist for the kinds postgres, mysql, clickhouse, s3,
 * azure_blob and sftp; a provider is offered as soon as its kind is registered. `test/destination-contract.ts` is the suite of
 * destinations of rows.
 */
export interface DriverKind {
  /** `kind` of its providers. */
  readonly kind: string;
  /** `table`: rows of a table; `files`: whole objects below a path. */
  readonly stores: 'table' | 'files';
  /** Supported modes; the first is the default. */
  readonly modes: readonly DestinationMode[];
  /** Ports beside those of web servers to which the guarded dialler connects, such as 22. */
  readonly alsoPorts: readonly number[];
  /** Largest text of a cell, in bytes of UTF-8: rows with a larger one are left out. */
  readonly maxCellBytes: number;
  /** Opens no connection. */
  open(settings: DriverSettings, dialTcp: DialTcp): Driver;
}

/** Most characters of an error of the destination that are stored. */
const MAX_MESSAGE = 2_000;

/** A failure of a destination. Its message is shown to the user: it contains no secret. */
export class DestinationError extends Error {
  override readonly name = 'DestinationError';
  /** `temporary`: worth another attempt. `refused`: sign-in or rights. `invalid`: the table or the rows do not fit. */
  readonly kind: 'temporary' | 'refused' | 'invalid';

  constructor(kind: DestinationError['kind'], message: string, cause?: unknown) {
    super(message.slice(0, MAX_MESSAGE), cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
