import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageDelta } from '../domain/page-delta.ts';
import type { Learned, LearnedChanges } from '../volatile/volatility.ts';
import type { ComparedPage } from './compare-page.ts';
import type { Entry } from './entry.ts';
import type { KnownPage, PageContent, PageReading } from './page-reading.ts';
import type { ScopeRules } from './survey-run.ts';

/** A page that is now found under another key. */
export interface PageAlias {
  readonly fromKey: string;
  readonly toKey: string;
  readonly reason: 'redirect' | 'moved';
  readonly runId: string;
}

/**
 * What a record is made from and written to. Everything asked is answered the same when it is asked again for the same run: so a
 * record made anew is the same record.
 */
export interface RecordPorts {
  /** What was known before the run, in batches, in the order of the keys' bytes. Asked for twice. */
  readonly known: () => AsyncIterable<readonly KnownPage[]>;
  /** The pages of the run, likewise. */
  readonly current: () => AsyncIterable<readonly PageReading[]>;
  readonly scope: ScopeRules;
  /** What a reading kept of its page; undefined: it is no longer there, or no blocks were cut. */
  readonly open: (reading: PageReading) => Promise<PageContent | undefined>;
  /** How two readings differ; what the project's `volatile_selectors` name is marked as volatile. */
  readonly compare: (before: PageBlocks, after: PageBlocks) => Promise<PageDelta>;
  /** An earlier reading as the configuration and the rules of `like` would have read it; undefined: what is stored doesn't allow it. */
  readonly rederive: (reading: PageReading, like: PageReading) => Promise<PageReading | undefined>;
  /** Looks at known pages directly, once for a run. Pages it must not or cannot look at are left out. */
  readonly probe: (pages: readonly KnownPage[]) => Promise<ReadonlyMap<string, PageReading>>;
  /** What was learned up to the run before. */
  readonly learned: () => Promise<Learned>;
  readonly spool: Spool;
  readonly sink: RecordSink;
}

/** Keeps comparisons until it is known what is said on many pages. */
export interface Spool {
  readonly put: (page: ComparedPage) => Promise<void>;
  /** What was put, in its order. */
  readonly all: () => AsyncIterable<ComparedPage>;
}

/** Takes what a record is made of while it is made; one transaction with the record's head. */
export interface RecordSink {
  readonly entries: (entries: readonly Entry[]) => Promise<void>;
  readonly known: (pages: readonly KnownPage[]) => Promise<void>;
  readonly aliases: (aliases: readonly PageAlias[]) => Promise<void>;
  readonly learned: (changes: LearnedChanges) => Promise<void>;
}
