import type { BlobRef, ErrorCode, PageExchange, PageRow } from '@tidemark/contracts/page/v1/page';
import type { Product } from '@tidemark/contracts/page/v1/product';
import type { Classification, Compared, PageGraph } from '@tidemark/page-reader';
import { urlKey } from '@tidemark/web-url';
import { comparedColumns } from './compared.ts';
import { nameOf, type Rung, type Tier } from './ladder.ts';
import { captureKey, type PageTask } from './page-task.ts';
import type { ActionOutcome } from './ports.ts';

/** Reference of stored bodies; of bodies that a thread has appended to a segment, to be committed; or the packed bodies to be stored. */
export type StoredContent =
  | BlobRef
  | (BlobRef & { readonly segment: string; readonly at: number; readonly span: number })
  | (BlobRef & { readonly packed: Uint8Array });

/** The result of one rung: fetched, read and classified. */
export interface Reading {
  readonly rung: Rung;
  /** Name of the exit; undefined: a direct fetch. */
  readonly exit: string | undefined;
  readonly exitBytes: number;
  readonly latencyMs: number | undefined;
  readonly status: number;
  readonly landedUrl: string;
  readonly redirects: readonly string[];
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Bytes of the decoded body. */
  readonly bytes: number;
  /** Warnings of the fetch, in addition to the classification's. */
  readonly warnings: readonly string[];
  readonly actions: readonly ActionOutcome[];
  /** Undefined for a page that is read again and not stored. */
  readonly exchange: PageExchange | undefined;
  readonly screenshot: Uint8Array | undefined;
  readonly classification: Classification;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly words: number;
  readonly product: Product | undefined;
  readonly charset: string;
  readonly textHash: string;
  readonly bodies: Uint8Array;
  readonly compared: Compared | undefined;
  readonly graph: PageGraph | undefined;
  readonly kept: StoredContent | undefined;
}

/**
 * Returns true if the page is charged: content was returned, which includes short pages and the text of a 404.
 * Refusals, failures and empty responses are free.
 */
export function isCharged(classification: Pick<Classification, 'verdict' | 'errorCode'>, words: number): boolean {
  if (classification.verdict === 'blocked') return classification.errorCode === 'NOT_FOUND';
  return words > 0;
}

const blankRow = ({ captureId, url, options, contentVariantKey }: PageTask, at: Date): PageRow => ({
  id: captureId,
  url,
  askedUrl: url,
  httpStatus: 0,
  verdict: 'blocked',
  errorCode: 'NETWORK',
  shape: undefined,
  warnings: [],
  signals: [],
  method: undefined,
  tier: undefined,
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
  captureKey: captureKey(options),
  urlKey: Buffer.from(urlKey(url), 'hex'),
  formats: [...options.formats],
  contentVariantKey,
});

/** Returns the row of a page that was not fetched. */
export function unfetchedRow(
  task: PageTask,
  at: Date,
  why: { verdict: 'robots' | 'blocked'; errorCode: ErrorCode; reason: string; signals: string[]; tier?: Tier },
): PageRow {
  const { tier, ...said } = why;
  return {
    ...blankRow(task, at),
    ...said,
    ...(tier === undefined ? {} : { method: tier, tier, climbedTo: tier }),
  };
}

/** Returns the row of a fetched page. `cheaper` is an earlier reading by a cheaper rung, if there was one. */
export function fetchedRow(task: PageTask, at: Date, reading: Reading, cheaper: Reading | undefined): PageRow {
  const { classification, rung } = reading;
  const refused = classification.verdict === 'blocked';
  // If a dearer rung read the same content as a cheaper one, the cheaper price is charged.
  const same = cheaper !== undefined && cheaper.words > 0 && cheaper.textHash === reading.textHash;
  const price = same ? cheaper.rung : rung;
  return {
    ...blankRow(task, at),
    url: reading.landedUrl,
    httpStatus: reading.status,
    verdict: classification.verdict,
    errorCode: classification.errorCode,
    shape: classification.shape,
    warnings: [...classification.warnings, ...reading.warnings],
    signals: classification.signals,
    method: rung.tier,
    tier: rung.tier,
    credits: isCharged(classification, reading.words) ? price.credits : 0,
    billedAs: same ? nameOf(price) : undefined,
    climbedTo: refused ? rung.tier : undefined,
    words: reading.words,
    language: reading.language,
    title: reading.title,
    product: reading.product,
    reason: classification.reason,
    widget: classification.widget,
    exitBytes: reading.exitBytes,
    exit: reading.exit,
    exchange: reading.exchange,
    redirects: [...reading.redirects],
    charset: reading.charset,
    etag: validator(reading.headers['etag']),
    lastModified: validator(reading.headers['last-modified']),
    ...(reading.compared === undefined ? {} : comparedColumns(reading.compared)),
  };
}

const VALIDATOR_CHARS = 512;

/** Keeps a validator only if it can be sent back unchanged. */
const validator = (value: string | string[] | undefined): string =>
  typeof value === 'string' && value.length <= VALIDATOR_CHARS ? value : '';

/** Returns the row of a page answered from a stored one: no fetch, no charge. */
export const cachedRow = (task: PageTask, earlier: PageRow): PageRow => ({
  ...earlier,
  id: task.captureId,
  askedUrl: task.url,
  verdict: 'cached',
  credits: 0,
  billedAs: undefined,
  exitBytes: 0,
  timingsMs: {},
  evidence: undefined,
  formats: [...task.options.formats],
  contentVariantKey: task.contentVariantKey ?? earlier.contentVariantKey,
  reason: `kept from ${(earlier.crawledAt ?? new Date(0)).toISOString()}: ${earlier.reason}`,
});

const NOT_MODIFIED = 'not modified';

interface NotModified {
  readonly rung: Rung;
  readonly exchange: PageExchange;
}

/** Returns the row of a page for which the site answered 304. */
export const unchangedRow = (task: PageTask, at: Date, earlier: PageRow, { rung, exchange }: NotModified): PageRow => ({
  ...earlier,
  id: task.captureId,
  askedUrl: task.url,
  crawledAt: at,
  httpStatus: 304,
  method: rung.tier,
  tier: rung.tier,
  credits: rung.credits,
  billedAs: undefined,
  exitBytes: 0,
  timingsMs: {},
  evidence: undefined,
  formats: [...task.options.formats],
  contentVariantKey: task.contentVariantKey ?? earlier.contentVariantKey,
  exchange,
  ...sinceFirstRead(earlier),
});

/** Appends to signals and reason only once, so that they do not grow with each unchanged capture. */
function sinceFirstRead({ signals, reason, crawledAt }: PageRow): Pick<PageRow, 'signals' | 'reason'> {
  if (signals.includes(NOT_MODIFIED)) return { signals, reason };
  const since = (crawledAt ?? new Date(0)).toISOString();
  return { signals: [...signals, NOT_MODIFIED], reason: `unchanged since ${since}, says the site; ${reason}` };
}
