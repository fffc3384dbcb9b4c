import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { ScopeRules } from '../../coverage/scope-rules.ts';
import type { ComparedPage } from '../../domain/compared-page.ts';
import type { PageDelta } from '../../domain/page-delta.ts';
import type { KnownPage, PageContent, PageReading } from '../../domain/page-reading.ts';
import type { LearnedVolatility, VolatilityChanges } from '../../volatility/volatility-model.ts';
import type { Entry } from '../entries/entry.ts';
import type { IgnoredBlock } from '../entries/ignored-block.ts';

/** A page that is now served under another key. */
export interface PageAlias {
  readonly fromKey: string;
  readonly toKey: string;
  readonly reason: 'redirect' | 'moved';
  readonly runId: string;
}

/** Sources and sinks of one record. Sources are deterministic for a run, so that building a record again gives the same record. */
export interface RecordPorts {
  /** Pages known before the run, in batches, in byte order of their keys. Read twice. */
  readonly knownPages: () => AsyncIterable<readonly KnownPage[]>;
  /** Readings of the run, in batches, in byte order of their keys. Read twice or more. */
  readonly currentReadings: () => AsyncIterable<readonly PageReading[]>;
  readonly scope: ScopeRules;
  /** Loads the stored content of a reading; undefined if it no longer exists or has no blocks. */
  readonly loadContent: (reading: PageReading) => Promise<PageContent | undefined>;
  /** Compares two readings. Blocks matched by the project's `volatile_selectors` are marked volatile. */
  readonly compareBlocks: (before: PageBlocks, after: PageBlocks) => Promise<PageDelta>;
  /** Derives an earlier reading again by the configuration and rules of `target`; undefined if the stored data does not allow it. */
  readonly rederive: (reading: PageReading, target: PageReading) => Promise<PageReading | undefined>;
  /** Fetches missing pages, by page key. Pages that must not or cannot be fetched are left out. Called at most once. */
  readonly verify: (pages: readonly KnownPage[]) => Promise<ReadonlyMap<string, PageReading>>;
  /**
   * Reads pages again as the baseline's run read them, by page key of these last good readings. Pages that cannot be read
   * so are left out. Called at most once.
   */
  readonly control: (lastGoodReadings: readonly PageReading[]) => Promise<ReadonlyMap<string, PageReading>>;
  /** Volatility learned up to the previous run. */
  readonly learnedVolatility: () => Promise<LearnedVolatility>;
  readonly spool: Spool;
  readonly sink: RecordSink;
}

/** Buffers comparisons until all pages are compared and repeated edits are known. */
export interface Spool {
  readonly put: (page: ComparedPage) => Promise<void>;
  /** Yields all pages in insertion order. */
  readonly all: () => AsyncIterable<ComparedPage>;
}

/** Receives the parts of a record while it is built, in the transaction that writes the record's head. */
export interface RecordSink {
  readonly entries: (entries: readonly Entry[]) => Promise<void>;
  readonly knownPages: (pages: readonly KnownPage[]) => Promise<void>;
  readonly aliases: (aliases: readonly PageAlias[]) => Promise<void>;
  readonly volatility: (changes: VolatilityChanges) => Promise<void>;
  /** Ignored changes, in the order of the record. */
  readonly ignored: (blocks: readonly IgnoredBlock[]) => Promise<void>;
}
