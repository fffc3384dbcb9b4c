import type { BlobRef, PageRow } from '@tidemark/contracts/page/v1/page';
import { urlKey } from '@tidemark/web-url';
import { type Compared, comparedColumns } from './compared.ts';
import { nameOf, type Rung, type Tier } from './ladder.ts';
import type { PageGraph } from './page-graph.ts';
import { captureKey, type PageTask } from './page-task.ts';
import type { ActionOutcome } from './ports.ts';
import type { Judgement } from './verdict.ts';

/** Where a page's bodies are kept already, or packed to be kept. */
export type StoredContent = BlobRef | (BlobRef & { readonly packed: Uint8Array });

/** What one rung brought back, read and judged. */
export interface Reading {
  readonly rung: Rung;
  /** The exit it came through, by name. */
  readonly exit: string | undefined;
  readonly exitBytes: number;
  readonly status: number;
  readonly landedUrl: string;
  readonly redirects: readonly string[];
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Bytes of the body, its encoding undone. */
  readonly bytes: number;
  /** What the fetch has to say beside the judgement. */
  readonly warnings: readonly string[];
  readonly actions: readonly ActionOutcome[];
  readonly screenshot: Uint8Array | undefined;
  readonly judgement: Judgement;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly words: number;
  readonly charset: string;
  readonly textHash: string;
  readonly bodies: Uint8Array;
  readonly compared: Compared | undefined;
  readonly graph: PageGraph | undefined;
  readonly kept: StoredContent | undefined;
}

/** A charge is for content returned: a readable page, a short one, and what a 404 says. Refusals, failures and empty answers are free. */
export function isCharged(judgement: Pick<Judgement, 'verdict' | 'errorCode'>, words: number): boolean {
  if (judgement.verdict === 'blocked') return judgement.errorCode === 'NOT_FOUND';
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
  captureKey: captureKey(options),
  urlKey: Buffer.from(urlKey(url), 'hex'),
  formats: [...options.formats],
  exit: '',
  contentVariantKey,
});

/** The row of a page nothing was fetched of. */
export function unfetchedRow(
  task: PageTask,
  at: Date,
  why: { verdict: 'robots' | 'blocked'; errorCode: string; reason: string; signals: string[]; tier?: Tier },
): PageRow {
  const { tier, ...said } = why;
  return {
    ...blankRow(task, at),
    ...said,
    ...(tier === undefined ? {} : { method: tier, tier, climbedTo: tier }),
  };
}

/** The row of a page a rung answered for. `cheaper` is an earlier reading by a cheaper rung, where there was one. */
export function fetchedRow(task: PageTask, at: Date, reading: Reading, cheaper: Reading | undefined): PageRow {
  const { judgement, rung } = reading;
  const refused = judgement.verdict === 'blocked';
  // Where a dearer rung read what a cheaper one had read, the climb was ours to decide and is not the customer's to pay.
  const same = cheaper !== undefined && cheaper.words > 0 && cheaper.textHash === reading.textHash;
  const price = same ? cheaper.rung : rung;
  return {
    ...blankRow(task, at),
    url: reading.landedUrl,
    httpStatus: reading.status,
    verdict: judgement.verdict,
    errorCode: judgement.errorCode,
    shape: judgement.shape,
    warnings: [...judgement.warnings, ...reading.warnings],
    signals: judgement.signals,
    method: rung.tier,
    tier: rung.tier,
    credits: isCharged(judgement, reading.words) ? price.credits : 0,
    billedAs: same ? nameOf(price) : undefined,
    climbedTo: refused ? rung.tier : undefined,
    words: reading.words,
    language: reading.language,
    title: reading.title,
    reason: judgement.reason,
    widget: judgement.widget,
    exitBytes: reading.exitBytes,
    exit: reading.exit ?? '',
    redirects: [...reading.redirects],
    charset: reading.charset,
    etag: validator(reading.headers['etag']),
    lastModified: validator(reading.headers['last-modified']),
    ...(reading.compared === undefined ? {} : comparedColumns(reading.compared)),
  };
}

const VALIDATOR_CHARS = 512;

/** A validator is kept only where it can be sent back as it came. */
const validator = (value: string | string[] | undefined): string =>
  typeof value === 'string' && value.length <= VALIDATOR_CHARS ? value : '';

/** The row of a page answered by an earlier one: nothing was fetched, nothing is charged. */
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

/** The row of a page the site says is still what an earlier one holds. */
export const unchangedRow = (task: PageTask, at: Date, earlier: PageRow, rung: Rung): PageRow => ({
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
  ...sinceFirstRead(earlier),
});

/** A page unchanged again and again is unchanged since it was first read: what is said of it doesn't grow. */
function sinceFirstRead({ signals, reason, crawledAt }: PageRow): Pick<PageRow, 'signals' | 'reason'> {
  if (signals.includes(NOT_MODIFIED)) return { signals, reason };
  const since = (crawledAt ?? new Date(0)).toISOString();
  return { signals: [...signals, NOT_MODIFIED], reason: `unchanged since ${since}, says the site; ${reason}` };
}
