import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import type { CallContext, Logger, Peer } from '@tidemark/service';
import type { PageReading } from '../domain/page-reading.ts';
import type { RecapturedContent } from '../store/recaptured-page-store.ts';
import { isUnreachable } from './is-unreachable.ts';
import type { RunCaptureOptions } from './run-capture-options.ts';
import { type ReadingContext, toPageReading } from './to-page-reading.ts';

/** A little longer than scrape looks. */
const RECAPTURE_TIMEOUT_MS = 25_000;

/** One page, looked at. */
export interface RecapturedPage {
  readonly reading: PageReading;
  /** Of a page that was read. */
  readonly content: RecapturedContent | undefined;
}

export interface RecaptureDeps {
  readonly scrape: Peer;
  readonly log: Logger;
}

/**
 * Reads a page as the run did, by one plain fetch, free of charge. Undefined: nothing is known of it. That it gave no answer says as little
 * as that a plain fetch was not enough.
 * @throws AppError unavailable where scrape can't be reached: what asks is tried again
 */
export function makeRecapturePage(
  { scrape, log }: RecaptureDeps,
  captureOptions: RunCaptureOptions,
  readingContext: ReadingContext,
  call: CallContext,
) {
  return async (url: string): Promise<RecapturedPage | undefined> => {
    try {
      const { page } = await scrape.call(Scrape.readAgain, { url, ...captureOptions }, call, {
        deadlineMs: RECAPTURE_TIMEOUT_MS,
      });
      const reading = page && toPageReading({ page, known: undefined }, readingContext);
      if (page === undefined || reading === undefined || isInconclusive(reading)) return undefined;
      const { blocks, fieldsJson = '{}' } = PageBodies.decode(page.bodies);
      return { reading: { ...reading, isRecaptured: true }, content: blocks && { blocks, fieldsJson } };
    } catch (error) {
      if (isUnreachable(error)) throw error;
      log.info(
        { err: error, run: readingContext.runId },
        'a page could not be looked at again; nothing follows from that',
      );
      return undefined;
    }
  };
}

/** What would have needed a browser, or more than one fetch. */
const INCONCLUSIVE_CODES: ReadonlySet<string> = new Set([
  'SHELL',
  'TIER_LIMIT',
  'BUDGET_EXHAUSTED',
  'RATE_LIMITED',
  'TIMEOUT',
]);

const isInconclusive = ({ verdict, errorCode, httpStatus }: PageReading): boolean =>
  verdict === 'blocked' && (httpStatus === 0 || INCONCLUSIVE_CODES.has(errorCode));
