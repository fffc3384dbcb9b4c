import type { OutgoingEvent } from '@tidemark/service';
import { column, nullable, type RowOf } from '@tidemark/sql';
import type { NewPage } from '../../domain/run/run.ts';
import type { Trap } from '../../domain/scope/trap-detector.ts';

/** An unfinished page in the frontier. */
export interface OpenPage {
  readonly captureId: string;
  readonly key: Buffer;
  readonly url: string;
  readonly host: string;
  readonly depth: number;
  readonly foundVia: string;
  /** The host the run's seed redirects to, if known by now: another instance may have stored it. */
  /** The host the seed redirects to; undefined: unchanged. */
  readonly home: string | undefined;
}

/** The result of a page. */
export interface PageResult {
  readonly captureId: string;
  readonly key: Buffer;
  readonly host: string;
  readonly isHostGivenUp: boolean;
  /** The saved login is no longer signed in. */
  readonly isLoginDead: boolean;
  readonly verdict: string;
  readonly errorCode: string;
  readonly httpStatus: number;
  readonly credits: number;
  /** Why a requested extraction has no values; empty: it has, or none was requested. */
  readonly missingValues: string;
  readonly links: Buffer;
  /** Keys of the blocks of its main content, four bytes each. */
  readonly blockKeys: Buffer;
  /** Other URLs of the page: each redirect, and last the final URL. */
  readonly aliases: readonly { readonly key: Buffer; readonly url: string; readonly host: string }[];
}

/** Columns of the locked row of a run. */
export const LOCKED_COLUMNS = {
  no: column('int8'),
  last_number: column('int4'),
  max_pages: column('int4'),
  known: column('int4'),
  silent: column('int4'),
  given_up: column('text[]'),
  verdicts: column('jsonb'),
  missing_values: column('jsonb'),
  traps: column('jsonb'),
  workspace_id: column('text'),
  project_id: nullable('text'),
  sitemap: column('text'),
};
export type LockedRow = Readonly<RowOf<typeof LOCKED_COLUMNS>>;

/** State read while the run is locked: captures without a result, and the status of final URLs by key in hex. */
export interface LockedState {
  readonly open: ReadonlySet<string>;
  readonly landed: ReadonlyMap<string, string>;
  /** URLs that can still be added to the frontier. */
  readonly room: number;
  readonly traps: readonly Trap[];
}

/** The changes that a batch of page results makes. */
export interface ResultBatch {
  readonly results: readonly (PageResult & { readonly isSame: boolean })[];
  readonly aliases: readonly {
    readonly key: Buffer;
    readonly url: string;
    readonly host: string;
    readonly of: Buffer;
    readonly depth: number;
  }[];
  readonly found: readonly NewPage[];
  /** All traps of the run; undefined: unchanged. */
  readonly traps: readonly Trap[] | undefined;
  /** Of them, those that are new. */
  readonly newTraps: readonly Trap[];
  /** The host the seed redirects to; undefined: unchanged. */
  readonly home: string | undefined;
}

/** The keys of the URLs that were new, and the events that were written. */
export interface WrittenResults {
  readonly fresh: readonly Buffer[];
  readonly events: readonly OutgoingEvent[];
}

/** A run whose row is locked until this is disposed. Disposing it rolls back what is not committed. */
export interface LockedRun extends AsyncDisposable {
  readonly state: LockedState;
  /** Writes a batch with its charges, and commits. */
  write(batch: ResultBatch, charges: readonly OutgoingEvent[]): Promise<WrittenResults>;
}
