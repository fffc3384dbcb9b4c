import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { type Page, PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { type CallContext, Coalescer, type Logger, type Peer } from '@tidemark/service';
import type { PageContent, PageReading } from '../record/page-reading.ts';
import { isAway } from './is-away.ts';
import { makeFindCaptures } from './open-page.ts';
import { type ReadFor, toReading } from './page-reading.ts';
import type { ReadWish } from './read-wish.ts';

/** Earlier readings a record has read anew, at most; pages beyond are unverified once. */
const MOST_REREAD = 2_000;
const AT_ONCE = 8;
const ASK_MS = 30_000;
/** Everything a record may spend on it, from the first. */
const ALL_MS = 120_000;

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
export class Rederiver {
  readonly #deps: RederiveDeps;
  readonly #wish: ReadWish;
  readonly #readFor: ReadFor;
  readonly #call: CallContext;
  /** As long as somebody holds the reading it is of. */
  readonly #contents = new WeakMap<PageReading, PageContent>();
  readonly #find: ReturnType<typeof makeFindCaptures>;
  readonly #rereads: Coalescer<PageRow, Page | undefined>;
  #left = MOST_REREAD;
  #untilMs: number | undefined;

  constructor(deps: RederiveDeps, wish: ReadWish, readFor: ReadFor, call: CallContext) {
    this.#deps = deps;
    this.#wish = wish;
    this.#readFor = readFor;
    this.#call = call;
    this.#find = makeFindCaptures(deps.archive, [], call);
    const each = (rows: readonly PageRow[]) => Promise.all(rows.map((row) => this.#reread(row)));
    this.#rereads = new Coalescer(each, { maxBatch: 1, maxWriters: AT_ONCE });
  }

  /** What a reading that was read anew says. */
  readonly contentOf = (reading: PageReading): PageContent | undefined => this.#contents.get(reading);

  /** `reading` as it would have been by the rules of `like`; undefined: what is stored doesn't allow it. */
  readonly rederive = async (reading: PageReading, like: PageReading): Promise<PageReading | undefined> => {
    if (reading.contentVariantKey !== like.contentVariantKey || reading.isLook === true || this.#left <= 0)
      return undefined;
    this.#left -= 1;
    const row = (await this.#find(reading))?.row;
    if (row === undefined || !row.formats.includes('rawHtml')) return undefined;
    const page = await this.#rereads.add(row);
    const anew = page && toReading({ page, known: undefined }, this.#readFor);
    if (page === undefined || anew === undefined || anew.blocksVersion !== like.blocksVersion) return undefined;
    const { blocks, fieldsJson = '{}' } = PageBodies.decode(page.bodies);
    if (blocks === undefined) return undefined;
    const { title, words, language, contentHash, comparedHash, blocksVersion, cutBy } = anew;
    const found = { title, words, language, contentHash, comparedHash, blocksVersion };
    const rederived: PageReading = { ...reading, ...found, ...(cutBy === undefined ? {} : { cutBy }) };
    this.#contents.set(rederived, { blocks: PageBlocks.decode(blocks), fields: JSON.parse(fieldsJson) });
    return rederived;
  };

  /** @throws AppError unavailable where scrape is away: a record that is tried again can say more than one that gives up here */
  async #reread(row: PageRow): Promise<Page | undefined> {
    const { scrape, now, log } = this.#deps;
    this.#untilMs ??= now() + ALL_MS;
    const leftMs = this.#untilMs - now();
    if (leftMs <= 0) return undefined;
    try {
      const asked = { page: row, options: this.#wish.options };
      return (await scrape.call(Scrape.rereadStored, asked, this.#call, { deadlineMs: Math.min(ASK_MS, leftMs) })).page;
    } catch (error) {
      if (isAway(error)) throw error;
      log.info({ err: error, page: row.id }, 'a stored page could not be read anew; it is unverified once');
      return undefined;
    }
  }
}
