import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { type Page, PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { type CallContext, Coalescer, type Logger, type Peer } from '@tidemark/service';
import { isUnreachable } from '../captures/is-unreachable.ts';
import { makeLoadCaptures } from '../captures/load-captures.ts';
import type { RunCaptureOptions } from '../captures/run-capture-options.ts';
import { type ReadingContext, toPageReading } from '../captures/to-page-reading.ts';
import type { PageContent, PageReading } from '../domain/page-reading.ts';

/** Earlier readings a record has read anew, at most; pages beyond are unverified once. */
const MAX_REREADS = 2_000;
const MAX_CONCURRENT_REREADS = 8;
const CALL_TIMEOUT_MS = 30_000;
/** Everything a record may spend on it, from the first. */
const TOTAL_TIMEOUT_MS = 120_000;

export interface RederiveDeps {
  readonly archive: Peer;
  readonly scrape: Peer;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Reads earlier readings anew, from their stored html, by the rules of the run a record is of: so that a configuration or a release that cuts
 * pages otherwise is no change of theirs. What the site was asked for can't be changed afterwards.
 */
export class ReadingRederiver {
  readonly #deps: RederiveDeps;
  readonly #captureOptions: RunCaptureOptions;
  readonly #readingContext: ReadingContext;
  readonly #call: CallContext;
  /** As long as somebody holds the reading it is of. */
  readonly #contents = new WeakMap<PageReading, PageContent>();
  readonly #loadCapture: ReturnType<typeof makeLoadCaptures>;
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

  /** What a reading that was read anew says. */
  readonly contentOf = (reading: PageReading): PageContent | undefined => this.#contents.get(reading);

  /** `reading` as it would have been by the rules of `like`; undefined: what is stored doesn't allow it. */
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
    const { title, spec, language, contentHash, comparedHash, blocksVersion, blockRulesKey } = reread;
    const derived = { title, words: spec, language, contentHash, comparedHash, blocksVersion };
    const rederived: PageReading = {
      ...reading,
      ...derived,
      ...(blockRulesKey === undefined ? {} : { blockRulesKey }),
    };
    this.#contents.set(rederived, { blocks: PageBlocks.decode(blocks), fields: JSON.parse(fieldsJson) });
    return rederived;
  };

  /** @throws AppError unavailable where scrape is away: a record that is tried again can say more than one that gives up here */
  async #reread(row: PageRow): Promise<Page | undefined> {
    const { scrape, now, log } = this.#deps;
    this.#deadlineMs ??= now() + TOTAL_TIMEOUT_MS;
    const leftMs = this.#deadlineMs - now();
    if (leftMs <= 0) return undefined;
    try {
      const asked = { page: row, options: this.#captureOptions.options };
      return (
        await scrape.call(Scrape.rereadStored, asked, this.#call, { deadlineMs: Math.min(CALL_TIMEOUT_MS, leftMs) })
      ).page;
    } catch (error) {
      if (isUnreachable(error)) throw error;
      log.info({ err: error, page: row.id }, 'a stored page could not be read anew; it is unverified once');
      return undefined;
    }
  }
}
