import type { KnownPage, PageReading } from '../record/page-reading.ts';
import { sightOf } from '../record/page-reading.ts';
import type { LookContent } from '../store/look-store.ts';
import type { PageLook } from './read-again.ts';

/** Everything a record may spend on looking again. */
const ALL_MS = 120_000;
/** Bytes of blocks a record holds of what it looked at; pages beyond are as if nobody had looked. */
const HELD_BYTES = 64 * 1_024 * 1_024;

/**
 * Whether a plain look from here sees what the run would have seen: it signed in nowhere, sent nothing of its own, and asked as a desktop
 * from no chosen place. Else a look says nothing of the page.
 */
export function seesAsPlainLook(config: Readonly<Record<string, unknown>>): boolean {
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

export interface ProbeDeps {
  readonly readAgain: (url: string) => Promise<PageLook | undefined>;
  /** Whether the run itself met a page of this key. */
  readonly isOfRun: (pageKey: string) => Promise<boolean>;
  readonly now: () => number;
}

/** Looks at pages the run missed or did not come to, and holds what they say until the record is written. */
export class PageProbe {
  readonly #deps: ProbeDeps;
  readonly #contents = new Map<string, LookContent>();
  #bytes = 0;

  constructor(deps: ProbeDeps) {
    this.#deps = deps;
  }

  /** What a page said that was looked at, by the id of its reading. */
  readonly contentOf = (pageId: string): LookContent | undefined => this.#contents.get(pageId);

  /** One page after the other, as they are of one site. Pages of which nothing is learned are left out. */
  readonly look = async (pages: readonly KnownPage[]): Promise<ReadonlyMap<string, PageReading>> => {
    const looks = new Map<string, PageReading>();
    const until = this.#deps.now() + ALL_MS;
    for (const page of pages) {
      if (this.#deps.now() > until) break;
      const look = await this.#deps.readAgain(page.url);
      const reading = look && (await this.#seen(page, look));
      if (reading !== undefined) looks.set(page.pageKey, reading);
    }
    return looks;
  };

  /** What a look says of the page; undefined: nothing. */
  async #seen({ pageKey, url, good }: KnownPage, { reading, content }: PageLook): Promise<PageReading | undefined> {
    const sight = sightOf(reading);
    // A wall that a plain look meets is not told of a page that the run read by other means.
    if (sight === 'unreadable' && (good?.method !== 'http' || good.isThroughExit === true)) return undefined;
    // Where a refusal was met on the way, it is this page's.
    if (sight !== 'read') return { ...reading, pageKey, url };
    // What another engine shows otherwise is no change of the page.
    if (good?.method !== reading.method && good?.comparedHash !== reading.comparedHash) return undefined;
    if (content === undefined || this.#bytes + content.blocks.length > HELD_BYTES) return undefined;
    // Where it leads to a page that the run did not meet, nobody would know that page later.
    if (reading.pageKey !== pageKey && !(await this.#deps.isOfRun(reading.pageKey))) return undefined;
    this.#bytes += content.blocks.length;
    this.#contents.set(reading.pageId, content);
    return reading;
  }
}
