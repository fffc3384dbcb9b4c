import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import type { CallContext, Logger, Peer } from '@tidemark/service';
import type { PageReading } from '../record/page-reading.ts';
import type { LookContent } from '../store/look-store.ts';
import { isAway } from './is-away.ts';
import { type ReadFor, toReading } from './page-reading.ts';
import type { ReadWish } from './read-wish.ts';

/** A little longer than scrape looks. */
const LOOK_MS = 25_000;

/** One page, looked at. */
export interface PageLook {
  readonly reading: PageReading;
  /** Of a page that was read. */
  readonly content: LookContent | undefined;
}

export interface ReadAgainDeps {
  readonly scrape: Peer;
  readonly log: Logger;
}

/**
 * Reads a page as the run did, by one plain fetch, free of charge. Undefined: nothing is known of it. That it gave no answer says as little
 * as that a plain fetch was not enough.
 * @throws AppError unavailable where scrape can't be reached: what asks is tried again
 */
export function makeReadAgain({ scrape, log }: ReadAgainDeps, wish: ReadWish, readFor: ReadFor, call: CallContext) {
  return async (url: string): Promise<PageLook | undefined> => {
    try {
      const { page } = await scrape.call(Scrape.readAgain, { url, ...wish }, call, { deadlineMs: LOOK_MS });
      const reading = page && toReading({ page, known: undefined }, readFor);
      if (page === undefined || reading === undefined || saysNothing(reading)) return undefined;
      const { blocks, fieldsJson = '{}' } = PageBodies.decode(page.bodies);
      return { reading: { ...reading, isLook: true }, content: blocks && { blocks, fieldsJson } };
    } catch (error) {
      if (isAway(error)) throw error;
      log.info({ err: error, run: readFor.runId }, 'a page could not be looked at again; nothing follows from that');
      return undefined;
    }
  };
}

/** What would have needed a browser, or more than one fetch. */
const OUT_OF_REACH: ReadonlySet<string> = new Set([
  'SHELL',
  'TIER_LIMIT',
  'BUDGET_EXHAUSTED',
  'RATE_LIMITED',
  'TIMEOUT',
]);

const saysNothing = ({ verdict, errorCode, httpStatus }: PageReading): boolean =>
  verdict === 'blocked' && (httpStatus === 0 || OUT_OF_REACH.has(errorCode));
