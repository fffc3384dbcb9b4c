import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CallContext, Logger, Peer } from '@tidemark/service';
import type { PageContent, PageReading } from '../record/page-reading.ts';
import { type ReadFor, toReading } from './page-reading.ts';
import type { ReadWish } from './read-wish.ts';

/** Earlier readings a record has read anew, at most; pages beyond are unverified once. */
const MOST_REREAD = 2_000;
const ASK_MS = 30_000;

export interface RederiveDeps {
  readonly archive: Peer;
  readonly scrape: Peer;
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
  #left = MOST_REREAD;

  constructor(deps: RederiveDeps, wish: ReadWish, readFor: ReadFor, call: CallContext) {
    this.#deps = deps;
    this.#wish = wish;
    this.#readFor = readFor;
    this.#call = call;
  }

  /** What a reading that was read anew says. */
  readonly contentOf = (reading: PageReading): PageContent | undefined => this.#contents.get(reading);

  /** `reading` as it would have been by the rules of `like`; undefined: what is stored doesn't allow it. */
  readonly rederive = async (reading: PageReading, like: PageReading): Promise<PageReading | undefined> => {
    if (reading.readingKey !== like.readingKey || reading.isLook === true || this.#left <= 0) return undefined;
    this.#left -= 1;
    const row = await this.#rowOf(reading);
    if (row === undefined || !row.formats.includes('rawHtml')) return undefined;
    const page = await this.#reread(row);
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

  async #rowOf({ runId, pageId }: PageReading): Promise<PageRow | undefined> {
    const asked = { jobId: runId, cursor: '', limit: 1, bodies: [], expect: 0, waitMs: 0, ids: [pageId] };
    const { pages } = await this.#deps.archive.call(Archive.listPages, asked, this.#call, { deadlineMs: ASK_MS });
    return pages[0]?.row;
  }

  /** @throws AppError unavailable: a record that is tried again can say more than one that gives up here */
  async #reread(row: PageRow) {
    const { scrape, log } = this.#deps;
    try {
      const asked = { page: row, options: this.#wish.options };
      return (await scrape.call(Scrape.rereadStored, asked, this.#call, { deadlineMs: ASK_MS })).page;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      log.info({ err: error, page: row.id }, 'a stored page could not be read anew; it is unverified once');
      return undefined;
    }
  }
}
