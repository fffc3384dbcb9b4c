import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { type Page, PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { type CallContext, Coalescer, type Logger, type Peer } from '@tidemark/service';
import type { PageContent, PageReading } from '../domain/page-reading.ts';
import { isUnreachable } from '../readings/is-unreachable.ts';
import { type LoadCapture, makeLoadCaptures } from '../readings/load-captures.ts';
import type { RunCaptureOptions } from '../readings/run-capture-options.ts';
import { type ReadingContext, toPageReading } from '../readings/to-page-reading.ts';

/** Maximum number of earlier readings derived again per record; the pages of further ones are unverified once. */
const MAX_REREADS = 2_000;
const MAX_CONCURRENT_REREADS = 8;
const CALL_TIMEOUT_MS = 30_000;
/** Time limit per record, from the first request. */
const TOTAL_TIMEOUT_MS = 120_000;

export interface RederiveDeps {
  readonly archive: Peer;
  readonly scrape: Peer;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Derives earlier readings again, from their stored HTML, by the rules of the current run, so that a changed
 * configuration or extractor is not reported as a change of pages. Request options, such as headers, cannot be applied
 * afterwards.
 */
export class ReadingRederiver {
  readonly #deps: RederiveDeps;
  readonly #captureOptions: RunCaptureOptions;
  readonly #readingContext: ReadingContext;
  readonly #call: CallContext;
  /** Weak keys: the content lives as long as its reading. */
  readonly #contents = new WeakMap<PageReading, PageContent>();
  readonly #loadCapture: LoadCapture;
  readonly #rereads: Coalescer<PageRow, Page | undefined>;
  #remaining = MAX_REREADS;
  #deadlineMs: number | undefined;

  constructor(
    deps: RederiveDeps,
    captureOptions: RunCaptureOptions,
    readingContext: ReadingContext,
    call: CallContext,
  ) {
    this.#deps = deps;
    this.#captureOptions = captureOptions;
    this.#readingContext = readingContext;
    this.#call = call;
    this.#loadCapture = makeLoadCaptures(deps.archive, [], call);
    const each = (rows: readonly PageRow[]) => Promise.all(rows.map((row) => this.#reread(row)));
    this.#rereads = new Coalescer(each, { maxBatch: 1, maxWriters: MAX_CONCURRENT_REREADS });
  }

  /** Returns the content of a reading that was derived again. */
  readonly contentOf = (reading: PageReading): PageContent | undefined => this.#contents.get(reading);

  /** Returns `reading` as derived by the rules of `target`; undefined if the stored data does not allow it. */
  readonly rederive = async (reading: PageReading, target: PageReading): Promise<PageReading | undefined> => {
    if (reading.contentVariantKey !== target.contentVariantKey || reading.isRecaptured === true || this.#remaining <= 0)
      return undefined;
    this.#remaining -= 1;
    const row = (await this.#loadCapture(reading))?.row;
    if (row === undefined || !row.formats.includes('rawHtml')) return undefined;
    const page = await this.#rereads.add(row);
    const reread = page && toPageReading({ page, known: undefined }, this.#readingContext);
    if (page === undefined || reread === undefined || reread.blocksVersion !== target.blocksVersion) return undefined;
    const { blocks, fieldsJson = '{}' } = PageBodies.decode(page.bodies);
    if (blocks === undefined) return undefined;
    const { title, words, language, contentHash, comparedHash, blocksVersion, blockRulesKey } = reread;
    const derived = { title, words, language, contentHash, comparedHash, blocksVersion };
    const rederived: PageReading = {
      ...reading,
      ...derived,
      ...(blockRulesKey === undefined ? {} : { blockRulesKey }),
    };
    this.#contents.set(rederived, { blocks: PageBlocks.decode(blocks), fields: JSON.parse(fieldsJson) });
    return rederived;
  };

  /**
   * @throws AppError unavailable if scrape is unreachable: a later retry of the record can derive more than one that
   * continues without
   */
  async #reread(row: PageRow): Promise<Page | undefined> {
    const { scrape, now, log } = this.#deps;
    this.#deadlineMs ??= now() + TOTAL_TIMEOUT_MS;
    const remainingMs = this.#deadlineMs - now();
    if (remainingMs <= 0) return undefined;
    try {
      const request = { page: row, options: this.#captureOptions.options };
      return (
        await scrape.call(Scrape.rereadStored, request, this.#call, {
          deadlineMs: Math.min(CALL_TIMEOUT_MS, remainingMs),
        })
      ).page;
    } catch (error) {
      if (isUnreachable(error)) throw error;
      log.info(
        { err: error, page: row.id },
        'deriving a stored page again failed, the page is unverified in this record',
      );
      return undefined;
    }
  }
}
