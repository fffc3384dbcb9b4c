import type { Settings } from '@tidemark/project-config';
import type { KnownPage, PageReading } from '../domain/page-reading.ts';
import { observationOf } from '../domain/page-reading.ts';
import type { RecapturedPage, RecapturePage } from '../readings/recapture-page.ts';
import type { RecapturedContents } from '../readings/recaptured-contents.ts';

/** Time limit for all verifications of a record. */
const TOTAL_TIMEOUT_MS = 120_000;

/**
 * Whether a plain fetch reproduces what the run saw: the run used no login, headers or cookies, and fetched as desktop
 * without country or exit. Otherwise verification says nothing about the page.
 */
export function isReproducibleByPlainFetch({
  login_id: loginId,
  country,
  cookies = {},
  headers = {},
  use_proxy: useProxy,
  device,
}: Settings): boolean {
  return (
    loginId === undefined &&
    country === undefined &&
    Object.keys(cookies).length === 0 &&
    Object.keys(headers).length === 0 &&
    useProxy !== 'always' &&
    device !== 'mobile'
  );
}

export interface VerifierDeps {
  readonly recapturePage: RecapturePage;
  /** Receives the content of verified pages. */
  readonly contents: RecapturedContents;
  /** Whether the run itself has a reading with this key. */
  readonly isInRun: (pageKey: string) => Promise<boolean>;
  readonly now: () => number;
}

/** Fetches pages that the run missed or did not reach. */
export class MissingPageVerifier {
  readonly #deps: VerifierDeps;

  constructor(deps: VerifierDeps) {
    this.#deps = deps;
  }

  /** Fetches one page after the other, because they are of one site. Leaves out inconclusive results. */
  readonly verify = async (pages: readonly KnownPage[]): Promise<ReadonlyMap<string, PageReading>> => {
    const verified = new Map<string, PageReading>();
    const deadline = this.#deps.now() + TOTAL_TIMEOUT_MS;
    for (const page of pages) {
      if (this.#deps.now() > deadline) break;
      const recaptured = await this.#deps.recapturePage(page.url);
      const reading = recaptured && (await this.#readingFrom(page, recaptured));
      if (reading !== undefined) verified.set(page.pageKey, reading);
    }
    return verified;
  };

  /** Returns the reading to use for the page; undefined: inconclusive. */
  async #readingFrom(
    { pageKey, url, lastGood }: KnownPage,
    { reading, content }: RecapturedPage,
  ): Promise<PageReading | undefined> {
    const observation = observationOf(reading);
    // A refused plain fetch says nothing about a page that the run read with a browser or through an exit.
    if (observation === 'unreadable' && (lastGood?.method !== 'http' || lastGood.isThroughExit === true))
      return undefined;
    // A refusal after a redirect counts for the requested page.
    if (observation !== 'read') return { ...reading, pageKey, url };
    // A difference between engines is not a change of the page.
    if (lastGood?.method !== reading.method && lastGood?.comparedHash !== reading.comparedHash) return undefined;
    if (content === undefined) return undefined;
    // A redirect to a page that the run did not reach would leave that page unknown.
    if (reading.pageKey !== pageKey && !(await this.#deps.isInRun(reading.pageKey))) return undefined;
    return this.#deps.contents.add(reading.pageId, content) ? reading : undefined;
  }
}
