import { newId } from '@tidemark/contracts';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { RecaptureResponse } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { Pace } from '@tidemark/host-pace';
import { type CaptureOptions, needsBrowser } from '../domain/capture-options.ts';
import { contentVariantKeyOf } from '../domain/compared.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Tier } from '../domain/tier.ts';
import { type PageVisitor, UNCONTROLLED } from '../visit/page-visitor.ts';

/** Time limit of one recapture, including the wait for the host, ms. */
const TIME_LIMIT_MS = 20_000;
/** Its parts: the wait for the host, and the capture. */
const WAIT_BUDGET_MS = 10_000;
const CAPTURE_MS = TIME_LIMIT_MS - WAIT_BUDGET_MS;
const MAX_DELAY_MS = 60_000;
const MAX_CONCURRENCY = 64;

/** The page to capture, and its workspace. */
export interface RecaptureRequest {
  readonly url: string;
  readonly options: CaptureOptions;
  readonly workspaceId: string;
  readonly pace: Pace;
  /** The engine that reads the page, whatever the options say. */
  readonly engine: Tier;
}

/**
 * Captures a page as a run would, by one engine and without an exit: the same robots.txt, pace, egress guard and reader.
 * Free of charge; nothing is stored.
 * @throws AppError validation; rate_limited if the host's permit does not come in time, which does not indicate the
 * page's state
 */
export type Recapture = (request: RecaptureRequest, signal: AbortSignal) => Promise<RecaptureResponse>;

export function makeRecapture(visitor: Pick<PageVisitor, 'visit'>): Recapture {
  return async (request, signal) => {
    const { url } = request;
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw new AppError('validation', 'url is not an http or https URL');
    const visited = await visitor.visit({
      kind: 'recapture',
      task: toTask(request),
      pace: paceOf(request),
      leaseCredits: async () => Number.MAX_SAFE_INTEGER,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]),
      waitBudgetMs: WAIT_BUDGET_MS,
      captureMs: CAPTURE_MS,
      held: 0,
      waitsForRobots: true,
      control: UNCONTROLLED,
    });
    if (visited.kind === 'stopped' || visited.captured === undefined)
      throw new AppError('rate_limited', 'the host could not be fetched in time');
    const { row, bodies } = visited.captured;
    if (isBeyond(request, row)) return { page: { row: unread(row), bodies: Buffer.alloc(0) } };
    return { page: { row: { ...row, credits: 0 }, bodies: Buffer.from(bodies ?? []) } };
  };
}

/** Returns the requested pace within its bounds. */
const paceOf = ({ pace: { concurrency, delayMs } }: RecaptureRequest): Pace => ({
  concurrency: Math.max(1, Math.min(concurrency, MAX_CONCURRENCY)),
  delayMs: Math.max(0, Math.min(delayMs, MAX_DELAY_MS)),
});

/** The page with a run's options, by one engine, without an exit, reuse of earlier captures, and stored bodies. */
const toTask = ({ url, options, workspaceId, engine }: RecaptureRequest): PageTask => ({
  jobId: '',
  captureId: newId('cap'),
  workspaceId,
  url,
  options: {
    ...options,
    renderJs: engine === 'browser' ? 'always' : 'never',
    maxTier: engine,
    useProxy: 'never',
    waitFor: engine === 'browser' ? options.waitFor : undefined,
    actions: engine === 'browser' ? options.actions : [],
    screenshot: 'none',
    formats: [],
    maxAgeSeconds: 0,
    maxCredits: undefined,
    retries: 0,
    explain: false,
    htmlOfHome: false,
    htmlOfPages: false,
    extract: undefined,
    cutBlocks: true,
  },
  session: '',
  isRecapture: true,
  priority: 'batch',
  contentVariantKey: contentVariantKeyOf(options),
});

/** A plain fetch shows that such a page is missing or refused, but not what a browser would have read. */
const isBeyond = ({ engine, options }: RecaptureRequest, { verdict }: PageRow): boolean =>
  engine === 'http' && needsBrowser(options) && (verdict === 'ok' || verdict === 'thin');

const unread = (row: PageRow): PageRow => ({
  ...row,
  verdict: 'blocked',
  errorCode: 'TIER_LIMIT',
  reason: 'the options require a browser',
  credits: 0,
  contentHash: undefined,
  textHash: undefined,
  comparedHash: undefined,
  blocksVersion: undefined,
  matched: undefined,
});
