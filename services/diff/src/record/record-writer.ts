import { BatchWriter } from './batch-writer.ts';
import { type Entry, type EntryContent, type EntryPlace, makeEntry } from './entry.ts';
import type { PageFinding } from './examine-page.ts';
import type { KnownPage } from './page-reading.ts';
import type { PageAlias, RecordSink } from './ports.ts';
import { Counter, type RecordCounts } from './record-counts.ts';
import { linksField, type PageNews } from './tell-page.ts';

/** Writes a record while it is made, and counts. */
export class RecordWriter {
  readonly #place: EntryPlace;
  readonly #isFirst: boolean;
  readonly #isHistory: boolean;
  readonly #entries: BatchWriter<Entry>;
  readonly #known: BatchWriter<KnownPage>;
  readonly #aliases: BatchWriter<PageAlias>;
  readonly #counter = new Counter();

  constructor(sink: RecordSink, place: EntryPlace, { isFirst, isHistory }: { isFirst: boolean; isHistory: boolean }) {
    this.#place = place;
    this.#isFirst = isFirst;
    this.#isHistory = isHistory;
    this.#entries = new BatchWriter(sink.entries);
    this.#known = new BatchWriter(sink.known);
    this.#aliases = new BatchWriter(sink.aliases);
  }

  async known(page: KnownPage | undefined): Promise<void> {
    if (page !== undefined && this.#isHistory) await this.#known.put(page);
  }

  async alias(fromKey: string, toKey: string, reason: PageAlias['reason']): Promise<void> {
    if (this.#isHistory) await this.#aliases.put({ fromKey, toKey, reason, runId: this.#place.runId });
  }

  /** A page whose outcome needs no words compared. */
  async finding(finding: PageFinding): Promise<void> {
    const { judgement, comparison, servedAs, pageKey } = finding;
    if (judgement.outcome === 'none') return;
    if (servedAs !== undefined) {
      this.#counter.page('same');
      await this.alias(pageKey, servedAs.pageKey, 'redirect');
      return;
    }
    if (judgement.outcome === 'compare') {
      // Known by a reading that is nowhere to be found: there is nothing to compare with.
      const reason = comparison?.result === 'unverified' ? comparison.reason : 'content_lost';
      await (comparison?.result === 'same' ? this.#same(finding) : this.#told(finding, 'unverified', { reason }));
      return;
    }
    const reason = 'reason' in judgement ? { reason: judgement.reason } : {};
    await this.#told(finding, judgement.outcome, reason);
  }

  /** A page that differs, after what is said elsewhere was taken out. */
  async news(news: PageNews): Promise<void> {
    this.#counter.page(news.outcome);
    this.#counter.found(news);
    if (news.content !== undefined) await this.entry(news.content);
  }

  async moved(content: EntryContent): Promise<void> {
    this.#counter.page('modified');
    this.#counter.found({ fields: content.fields?.length ?? 0, volatileBlocks: 0 });
    await this.entry(content);
  }

  async entry(content: EntryContent): Promise<void> {
    if (!this.#isFirst) await this.#entries.put(makeEntry(this.#place, content));
  }

  async end(selectorBreaks: number): Promise<{ readonly counts: RecordCounts; readonly entries: number }> {
    for (const writer of [this.#entries, this.#known, this.#aliases]) await writer.flush();
    return { counts: this.#counter.counts(selectorBreaks), entries: this.#entries.written };
  }

  /** Waits for what is being written: of a record that fails, nothing may be written once its transaction is over. */
  async settle(): Promise<void> {
    for (const writer of [this.#entries, this.#known, this.#aliases]) await writer.settle();
  }

  async #same(finding: PageFinding): Promise<void> {
    this.#counter.page('same');
    if (finding.links === undefined) return;
    await this.entry({ ...placeOf(finding), kind: 'same', links: finding.links, fields: [linksField(finding.links)] });
  }

  async #told(
    finding: PageFinding,
    outcome: 'added' | 'removed' | 'withheld' | 'unverified' | 'skipped',
    more: Pick<EntryContent, 'reason'>,
  ): Promise<void> {
    this.#counter.page(outcome);
    if (outcome === 'skipped') return;
    const { judgement, reading, known } = finding;
    const isReturned = judgement.outcome === 'added' && judgement.isReturned;
    await this.entry({
      ...placeOf(finding),
      ...more,
      ...(isReturned ? { returned: true } : {}),
      kind: outcome,
      wordsAdded: outcome === 'added' ? (reading?.words ?? 0) : 0,
      wordsRemoved: outcome === 'removed' ? (known?.good?.words ?? 0) : 0,
      section: titleOf(finding, outcome),
    });
  }
}

function placeOf({ pageKey, known, reading, verdicts }: PageFinding) {
  return { pageKey, url: reading?.url ?? known?.url ?? pageKey, verdicts };
}

/** A page that came or left as a whole is told by its title. */
function titleOf({ reading, known }: PageFinding, outcome: string): string {
  if (outcome === 'added') return reading?.title ?? '';
  return outcome === 'removed' ? (known?.good?.title ?? '') : '';
}
