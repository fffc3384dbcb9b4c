import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { Rung, Tier } from './ladder.ts';
import type { Judgement } from './verdict.ts';

/** What one engine brought back, read and judged. */
export interface Reading {
  readonly rung: Rung;
  readonly status: number;
  readonly landedUrl: string;
  readonly redirects: readonly string[];
  readonly judgement: Judgement;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly words: number;
  readonly charset: string;
  readonly textHash: string;
  readonly bodies: Uint8Array;
}

/** A charge is for content returned: a readable page, a short one, and what a 404 says. Refusals, failures and empty answers are free. */
export function isCharged(judgement: Pick<Judgement, 'verdict' | 'errorCode'>, words: number): boolean {
  if (judgement.verdict === 'blocked') return judgement.errorCode === 'NOT_FOUND';
  return words > 0;
}

const blankRow = (id: string, askedUrl: string, at: Date): PageRow => ({
  id,
  url: askedUrl,
  askedUrl,
  httpStatus: 0,
  verdict: 'blocked',
  errorCode: 'NETWORK',
  shape: undefined,
  warnings: [],
  signals: [],
  method: '',
  tier: '',
  credits: 0,
  billedAs: undefined,
  climbedTo: undefined,
  words: 0,
  language: undefined,
  title: undefined,
  reason: '',
  crawledAt: at,
  widget: undefined,
  solved: undefined,
  exitBytes: 0,
  redirects: [],
  charset: '',
  content: undefined,
  timingsMs: {},
  screenshot: undefined,
  evidence: undefined,
  etag: '',
  lastModified: '',
  readingKey: '',
  urlKey: Buffer.alloc(0),
  formats: [],
  exit: '',
});

/** The row of a page nothing was fetched of. */
export function unfetchedRow(
  id: string,
  askedUrl: string,
  at: Date,
  why: { verdict: 'robots' | 'blocked'; errorCode: string; reason: string; signals: string[]; tier?: Tier },
): PageRow {
  const { tier, ...said } = why;
  return {
    ...blankRow(id, askedUrl, at),
    ...said,
    ...(tier === undefined ? {} : { method: tier, tier, climbedTo: tier }),
  };
}

/** The row of a page an engine answered for. `cheaper` is an earlier reading by a cheaper engine, where there was one. */
export function fetchedRow(
  id: string,
  askedUrl: string,
  at: Date,
  reading: Reading,
  cheaper: Reading | undefined,
): PageRow {
  const { judgement, rung } = reading;
  const refused = judgement.verdict === 'blocked';
  // Where the browser read what plain http had read, the climb was ours to decide and is not the customer's to pay.
  const same = cheaper !== undefined && cheaper.words > 0 && cheaper.textHash === reading.textHash;
  const price = same ? cheaper.rung : rung;
  return {
    ...blankRow(id, askedUrl, at),
    url: reading.landedUrl,
    httpStatus: reading.status,
    verdict: judgement.verdict,
    errorCode: judgement.errorCode,
    shape: judgement.shape,
    warnings: judgement.warnings,
    signals: judgement.signals,
    method: rung.tier,
    tier: rung.tier,
    credits: isCharged(judgement, reading.words) ? price.credits : 0,
    billedAs: same ? price.tier : undefined,
    climbedTo: refused ? rung.tier : undefined,
    words: reading.words,
    language: reading.language,
    title: reading.title,
    reason: judgement.reason,
    widget: judgement.widget,
    redirects: [...reading.redirects],
    charset: reading.charset,
  };
}
