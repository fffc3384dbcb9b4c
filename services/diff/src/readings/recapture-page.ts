import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { RecaptureEngine, ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import type { CallContext, Logger, Peer } from '@tidemark/service';
import type { PageReading } from '../domain/page-reading.ts';
import type { RecapturedContent } from '../store/recaptured-page-store.ts';
import { isUnreachable } from './is-unreachable.ts';
import type { RunCaptureOptions } from './run-capture-options.ts';
import { type ReadingContext, toPageReading } from './to-page-reading.ts';

/** Must exceed the time limit of scrape. */
const RECAPTURE_TIMEOUT_MS = 25_000;

/** A page fetched again without being stored. */
export interface RecapturedPage {
  readonly reading: PageReading;
  /** Present for a readable page. */
  readonly content: RecapturedContent | undefined;
}

export interface RecaptureDeps {
  readonly scrape: Peer;
  readonly log: Logger;
}

/** The engine of a recapture. */
export type Engine = 'http' | 'browser';

/** Fetches a page again; undefined: the result is inconclusive. By plain HTTP unless an engine is given. */
export type RecapturePage = (url: string, engine?: Engine) => Promise<RecapturedPage | undefined>;

/**
 * Makes the recapture of a page by one fetch with the run's options, free of charge. Returns undefined if the result is
 * inconclusive: no response, or the engine does not suffice.
 * @throws AppError unavailable if scrape is unreachable, so that the caller retries
 */
export function makeRecapturePage(
  { scrape, log }: RecaptureDeps,
  captureOptions: RunCaptureOptions,
  readingContext: ReadingContext,
  call: CallContext,
): RecapturePage {
  return async (url, engine = 'http') => {
    try {
      const { page } = await scrape.call(
        Scrape.recapture,
        { url, ...captureOptions, engine: WIRE_ENGINES[engine] },
        call,
        { deadlineMs: RECAPTURE_TIMEOUT_MS },
      );
      const reading = page && toPageReading({ page, known: undefined }, readingContext);
      if (page === undefined || reading === undefined || isInconclusive(reading)) return undefined;
      const { blocks, fieldsJson = '{}' } = PageBodies.decode(page.bodies);
      return { reading: { ...reading, isRecaptured: true }, content: blocks && { blocks, fieldsJson } };
    } catch (error) {
      if (isUnreachable(error)) throw error;
      log.info({ err: error, run: readingContext.runId }, 'recapturing a page failed, treated as inconclusive');
      return undefined;
    }
  };
}

const WIRE_ENGINES: Readonly<Record<Engine, RecaptureEngine>> = {
  http: RecaptureEngine.RECAPTURE_ENGINE_HTTP,
  browser: RecaptureEngine.RECAPTURE_ENGINE_BROWSER,
};

/** Error codes of pages that need a browser or more than one fetch. */
const INCONCLUSIVE_CODES: ReadonlySet<string> = new Set([
  'SHELL',
  'TIER_LIMIT',
  'BUDGET_EXHAUSTED',
  'RATE_LIMITED',
  'TIMEOUT',
]);

const isInconclusive = ({ verdict, errorCode, httpStatus }: PageReading): boolean =>
  verdict === 'blocked' && (httpStatus === 0 || INCONCLUSIVE_CODES.has(errorCode));
