import { ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import type { CallContext, Logger, Peer } from '@tidemark/service';
import type { KnownPage, PageReading } from '../record/page-reading.ts';

const PROBE_MS = 20_000;
/** Everything a record may spend on looking again. */
const ALL_MS = 120_000;

export interface ProbeDeps {
  readonly scrape: Peer;
  readonly now: () => number;
  readonly log: Logger;
}

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

/**
 * Looks at pages the run missed or did not come to, one after the other as they are of one site, with one plain fetch each, free of charge. Only what is seen to be gone or refused is
 * told: a page that answers was still not read, so that nothing is said of its words.
 */
export function makeProbePages({ scrape, now, log }: ProbeDeps, runId: string, call: CallContext) {
  return async (pages: readonly KnownPage[]): Promise<ReadonlyMap<string, PageReading>> => {
    const looks = new Map<string, PageReading>();
    const until = now() + ALL_MS;
    for (const page of pages) {
      if (now() > until) break;
      const reading = await probe(page);
      if (reading !== undefined) looks.set(page.pageKey, reading);
    }
    return looks;
  };

  async function probe({ pageKey, url }: KnownPage): Promise<PageReading | undefined> {
    try {
      const { httpStatus, showsLogin } = await scrape.call(Scrape.probeLogin, { url, cookies: [] }, call, {
        deadlineMs: PROBE_MS,
      });
      const errorCode = refusalOf(httpStatus, showsLogin);
      return errorCode === undefined
        ? undefined
        : { ...BLANK, pageKey, url, runId, httpStatus, verdict: 'blocked', errorCode };
    } catch (error) {
      log.info({ err: error, run: runId }, 'a page could not be looked at again; nothing follows from that');
      return undefined;
    }
  }
}

/** Why a page can't be read; undefined: it answers, or nothing is known. */
function refusalOf(httpStatus: number, showsLogin: boolean): string | undefined {
  if (httpStatus === 404 || httpStatus === 410) return 'NOT_FOUND';
  if (showsLogin) return 'LOGIN_REQUIRED';
  return httpStatus >= 400 ? 'BLOCKED' : undefined;
}

const BLANK: PageReading = {
  pageKey: '',
  url: '',
  askedKeys: [],
  runId: '',
  pageId: '',
  httpStatus: 0,
  verdict: '',
  errorCode: '',
  signals: [],
  title: '',
  words: 0,
  language: '',
  method: '',
  contentHash: '',
  comparedHash: '',
  blocksVersion: 0,
  readingKey: '',
};
