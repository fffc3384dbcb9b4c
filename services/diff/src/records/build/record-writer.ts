import { isReadVerdict } from '@tidemark/contracts';
import type { PageOutcome } from '../../domain/outcome-table.ts';
import type { KnownPage } from '../../domain/page-reading.ts';
import type { PageStates } from '../../domain/page-states.ts';
import { isContentChange } from '../../volatility/block-traits.ts';
import { blockEntry, type Entry, type EntryContent, type EntryOrigin, makeEntry } from '../entries/entry.ts';
import { type BuiltPage, linksField, summarizeChanges } from '../entries/entry-builder.ts';
import { type IgnoredBlock, makeIgnoredBlock } from '../entries/ignored-block.ts';
import { BatchWriter } from './batch-writer.ts';
import type { Comparison } from './compare-page.ts';
import type { PageEvaluation } from './evaluate-page.ts';
import { sideOf } from './page-side.ts';
import type { PageAlias, RecordSink } from './ports.ts';
import { OutcomeCounter, type RecordCounts } from './record-counts.ts';
import type { WholePage } from './whole-page.ts';

/** Writes the parts of a record while it is built, and counts outcomes. */
export class RecordWriter {
  readonly #origin: EntryOrigin;
  readonly #isFirst: boolean;
  readonly #isHistory: boolean;
  readonly #entries: BatchWriter<Entry>;
  readonly #known: BatchWriter<KnownPage>;
  readonly #aliases: BatchWriter<PageAlias>;
  readonly #ignored: BatchWriter<IgnoredBlock>;
  readonly #counter = new OutcomeCounter();

  constructor(sink: RecordSink, origin: EntryOrigin, { isFirst, isHistory }: { isFirst: boolean; isHistory: boolean }) {
    this.#origin = origin;
    this.#isFirst = isFirst;
    this.#isHistory = isHistory;
    this.#entries = new BatchWriter(sink.entries);
    this.#known = new BatchWriter(sink.knownPages);
    this.#aliases = new BatchWriter(sink.aliases);
    this.#ignored = new BatchWriter(sink.ignored);
  }

  async known(page: KnownPage | undefined): Promise<void> {
    if (page !== undefined && this.#isHistory) await this.#known.put(page);
  }

  async alias(fromKey: string, toKey: string, reason: PageAlias['reason']): Promise<void> {
    if (this.#isHistory) await this.#aliases.put({ fromKey, toKey, reason, runId: this.#origin.runId });
  }

  /** Writes a page whose outcome needs no block comparison. `whole`: the content of an added or removed page. */
  async evaluation(evaluation: PageEvaluation, whole?: WholePage): Promise<void> {
    const { classification, comparison, servedAs, pageKey } = evaluation;
    if (classification.outcome === 'none') return;
    if (servedAs !== undefined) {
      this.#counter.page('same');
      await this.alias(pageKey, servedAs.pageKey, 'redirect');
      return;
    }
    if (classification.outcome === 'compare') {
      // The last good reading no longer exists, so there is nothing to compare with.
      await (comparison?.result === 'same'
        ? this.#writeSame(evaluation)
        : this.#writeOutcome(evaluation, 'unverified', inDoubt(comparison)));
      return;
    }
    const reason = 'reason' in classification ? { reason: classification.reason } : {};
    await this.#writeOutcome(evaluation, classification.outcome, { ...reason, ...whole });
  }

  /** Writes a page that differs, after volatile and folded changes are removed. */
  async comparedPage(comparedPage: BuiltPage): Promise<void> {
    this.#counter.page(comparedPage.outcome);
    this.#counter.addFindings({ fields: comparedPage.fields, volatileBlocks: comparedPage.ignored.length });
    for (const content of comparedPage.ignored)
      await this.#ignored.put(makeIgnoredBlock(this.#origin, this.#ignored.written + 1, content));
    if (comparedPage.entry !== undefined) await this.entry(comparedPage.entry);
  }

  async moved(content: EntryContent): Promise<void> {
    this.#counter.page('modified');
    this.#counter.addFindings({ fields: content.fields?.length ?? 0, volatileBlocks: 0 });
    await this.entry(content);
  }

  async entry(content: EntryContent): Promise<void> {
    if (!this.#isFirst) await this.#entries.put(makeEntry(this.#origin, content));
  }

  async finish(selectorBreaks: number): Promise<{ readonly counts: RecordCounts; readonly entries: number }> {
    for (const writer of this.#writers()) await writer.flush();
    return { counts: this.#counter.counts(selectorBreaks), entries: this.#entries.written };
  }

  /** Waits for pending writes: none may run after the transaction of a failed record has ended. */
  async drain(): Promise<void> {
    for (const writer of this.#writers()) await writer.drain();
  }

  #writers() {
    return [this.#entries, this.#known, this.#aliases, this.#ignored] as const;
  }

  async #writeSame(evaluation: PageEvaluation): Promise<void> {
    this.#counter.page('same');
    if (evaluation.links === undefined) return;
    await this.entry({
      ...pageOf(evaluation),
      kind: 'same',
      links: evaluation.links,
      fields: [linksField(evaluation.links)],
    });
  }

  async #writeOutcome(
    evaluation: PageEvaluation,
    outcome: Exclude<PageOutcome, 'modified' | 'same'>,
    more: Partial<EntryContent>,
  ): Promise<void> {
    this.#counter.page(outcome);
    if (outcome === 'skipped' || outcome === 'machineRead') return;
    const { classification, reading, known } = evaluation;
    const isReturned = classification.outcome === 'added' && classification.isReturned;
    await this.entry({
      ...pageOf(evaluation),
      ...(isReturned ? { returned: true } : {}),
      ...(outcome === 'unverified' && known?.state === 'read' ? { turnedUnreadable: true } : {}),
      kind: outcome,
      wordsAdded: outcome === 'added' ? (reading?.words ?? 0) : 0,
      wordsRemoved: outcome === 'removed' ? (known?.lastGood?.words ?? 0) : 0,
      // An added or removed page has its title as section.
      section: outcome === 'added' || outcome === 'removed' ? pageTitle(evaluation) : '',
      ...more,
    });
  }
}

/** Returns what an unverified page shows: the reason, and the words that differ where they are known. */
function inDoubt(comparison: Comparison | undefined): Partial<EntryContent> {
  // The last good reading no longer exists, so there is nothing to compare with.
  if (comparison?.result !== 'unverified') return { reason: 'content_lost' };
  const { reason, doubted } = comparison;
  if (doubted === undefined) return { reason };
  const { blocks, fields, isReordered, isDegraded } = doubted.delta;
  const ownChanges = blocks.filter(({ isVolatile }) => isVolatile !== true);
  return {
    reason,
    pageStates: doubted.pageStates,
    ...summarizeChanges(ownChanges.filter(isContentChange)),
    blocks: blocks.map((change) => blockEntry(change, change.isVolatile === true)),
    fields,
    reordered: isReordered,
    degraded: isDegraded,
  };
}

function pageOf({ pageKey, known, reading, verdicts }: PageEvaluation) {
  const pageStates = pageStatesOf({ known, reading });
  return {
    pageKey,
    url: reading?.url ?? known?.url ?? pageKey,
    title: pageTitle({ known, reading }),
    verdicts,
    pageStates,
  };
}

/** Returns what is known of a page whose content is not loaded. */
function pageStatesOf({ known, reading }: Pick<PageEvaluation, 'known' | 'reading'>): PageStates {
  const before = known?.lastGood && sideOf(known.lastGood);
  const wasUnread = known?.state === 'stale' || known?.state === 'unread';
  return {
    ...(before === undefined ? {} : { before: { ...before, httpStatus: known?.lastStatus ?? before.httpStatus } }),
    ...(reading === undefined ? {} : { after: sideOf(reading) }),
    ...(wasUnread ? { wasUnread } : {}),
  };
}

/** Returns the last title under which the page was read. A page that was refused now has that of the refusal. */
export const pageTitle = ({ known, reading }: Pick<PageEvaluation, 'known' | 'reading'>): string =>
  (reading !== undefined && isReadVerdict(reading.verdict) ? reading.title : known?.lastGood?.title) ?? '';
