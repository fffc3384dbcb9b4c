import type { RecapturedPage } from '../captures/recapture-page.ts';
import type { KnownPage, PageReading } from '../domain/page-reading.ts';
import { observationOf } from '../domain/page-reading.ts';
import type { RecapturedContent } from '../store/recaptured-page-store.ts';

/** Everything a record may spend on looking again. */
const TOTAL_TIMEOUT_MS = 120_000;
/** Bytes of blocks a record holds of what it looked at; pages beyond are as if nobody had looked. */
const MAX_HELD_BYTES = 64 * 1_024 * 1_024;

/**
 * Whether a plain look from here sees what the run would have seen: it signed in nowhere, sent nothing of its own, and asked as a desktop
 * from no chosen place. Else a look says nothing of the page.
 */
export function isReproducibleByPlainFetch(config: Readonly<Record<string, unknown>>): boolean {
  return (
    isUnset(config['login_id']) &&
    isUnset(config['country']) &&
    isEmpty(config['cookies']) &&
    isEmpty(config['headers']) &&
    config['use_proxy'] !== 'always' &&
    config['device'] !== 'mobile'
  );
}

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '';
const isEmpty = (value: unknown): boolean =>
  isUnset(value) || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

export interface VerifierDeps {
  readonly recapturePage: (url: string) => Promise<RecapturedPage | undefined>;
  /** Whether the run itself met a page of this key. */
  readonly isInRun: (pageKey: string) => Promise<boolean>;
  readonly now: () => number;
}

/** Looks at pages the run missed or did not come to, and holds what they say until the record is written. */
export class MissingPageVerifier {
  readonly #deps: VerifierDeps;
  readonly #contents = new Map<string, RecapturedContent>();
  #bytes = 0;

  constructor(deps: VerifierDeps) {
    this.#deps = deps;
  }

  /** What a page said that was looked at, by the id of its reading. */
  readonly contentOf = (pageId: string): RecapturedContent | undefined => this.#contents.get(pageId);

  /** One page after the other, as they are of one site. Pages of which nothing is learned are left out. */
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

  /** What a look says of the page; undefined: nothing. */
  async #readingFrom(
    { pageKey, url, lastGood }: KnownPage,
    { reading, content }: RecapturedPage,
  ): Promise<PageReading | undefined> {
    const observation = observationOf(reading);
    // A wall that a plain look meets is not told of a page that the run read by other means.
    if (observation === 'unreadable' && (lastGood?.method !== 'http' || lastGood.isThroughExit === true))
      return undefined;
    // Where a refusal was met on the way, it is this page's.
    if (observation !== 'read') return { ...reading, pageKey, url };
    // What another engine shows otherwise is no change of the page.
    if (lastGood?.method !== reading.method && lastGood?.comparedHash !== reading.comparedHash) return undefined;
    if (content === undefined || this.#bytes + content.blocks.length > MAX_HELD_BYTES) return undefined;
    // Where it leads to a page that the run did not meet, nobody would know that page later.
    if (reading.pageKey !== pageKey && !(await this.#deps.isInRun(reading.pageKey))) return undefined;
    this.#bytes += content.blocks.length;
    this.#contents.set(reading.pageId, content);
    return reading;
  }
}
