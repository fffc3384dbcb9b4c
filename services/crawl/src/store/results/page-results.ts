import type { NewPage } from '../../domain/run/run.ts';
import type { Trap } from '../../domain/scope/trap-detector.ts';

/** A page of which a fact told, as its frontier knows it. */
export interface OpenPage {
  readonly captureId: string;
  readonly key: Buffer;
  readonly url: string;
  readonly host: string;
  readonly depth: number;
  readonly foundVia: string;
  /** Where its run is at home besides its seed's host, as of now: another process may have found that out. */
  readonly home: string | undefined;
}

/** How a page ended. */
export interface PageResult {
  readonly captureId: string;
  readonly key: Buffer;
  readonly host: string;
  readonly isHostGivenUp: boolean;
  /** Nobody is signed in any more, though somebody was to be. */
  readonly isLoginDead: boolean;
  readonly verdict: string;
  readonly errorCode: string;
  readonly httpStatus: number;
  readonly credits: number;
  readonly links: Buffer;
  /** Other addresses it was found to be: redirected through, and where it landed. The last is where it landed. */
  readonly aliases: readonly { readonly key: Buffer; readonly url: string; readonly host: string }[];
}

/** What the run's row says, locked. */
export interface LockedRun {
  readonly no: string;
  readonly last_number: number;
  readonly max_pages: number;
  readonly known: number;
  readonly silent: number;
  readonly given_up: readonly string[];
  readonly verdicts: unknown;
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly sitemap: string;
}

/** What holds while the run is locked: which captures are still open, and what became of addresses, by key in hex. */
export interface LockedState {
  readonly open: ReadonlySet<string>;
  readonly landed: ReadonlyMap<string, string>;
  /** Addresses the frontier has room for. */
  readonly room: number;
}

/** What is written of a batch of ended pages. */
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
  readonly traps: readonly Trap[] | undefined;
  /** Of them, those this process has not told of. */
  readonly newTraps: readonly Trap[];
  readonly home: string | undefined;
}
