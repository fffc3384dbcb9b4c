import { newId } from '@tidemark/contracts';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { RecaptureResponse } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { acquirePermit, type HostLimiter, holdSeconds, type Pace } from '@tidemark/host-pace';
import type { RobotsPolicy } from '@tidemark/robots';
import type { Captured } from '../capture/capture-deps.ts';
import { type CaptureOptions, needsBrowser } from '../domain/capture-options.ts';
import { contentVariantKeyOf } from '../domain/compared.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Budget } from '../domain/ports.ts';
import type { Tier } from '../domain/tier.ts';

/** Time limit of one recapture, including the wait for the host, ms. */
const TIME_LIMIT_MS = 20_000;
const MAX_DELAY_MS = 60_000;
const MAX_CONCURRENCY = 64;

export interface RecaptureDeps {
  readonly capture: (task: PageTask, creditsLeased: number, budget: Budget) => Promise<Captured>;
  readonly robots: { policyOf(url: string): Promise<Pick<RobotsPolicy, 'crawlDelaySeconds'>> };
  readonly pace: HostLimiter;
}

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
export function makeRecapture({ capture, robots, pace }: RecaptureDeps) {
  return async (request: RecaptureRequest, signal: AbortSignal): Promise<RecaptureResponse> => {
    const { url } = request;
    const address = URL.parse(url);
    if (!/^https?:$/.test(address?.protocol ?? '') || address === null)
      throw new AppError('validation', 'url is not an http or https URL');
    const ending = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
    const endsAtMs = performance.now() + TIME_LIMIT_MS;
    const permit = await acquirePermit(pace, address.host, await paceOf(request), ending);
    if (permit === undefined) throw new AppError('rate_limited', 'the host could not be fetched in time');
    try {
      const budget = { remainingMs: () => Math.max(1, endsAtMs - performance.now()), signal: ending };
      const { row, bodies, requestedWait } = await capture(toTask(request), Number.MAX_SAFE_INTEGER, budget);
      if (requestedWait !== undefined) await pace.hold(address.host, holdSeconds(requestedWait, 0) * 1000);
      if (isBeyond(request, row)) return { page: { row: unread(row), bodies: Buffer.alloc(0) } };
      return { page: { row: { ...row, credits: 0 }, bodies: Buffer.from(bodies ?? []) } };
    } finally {
      await permit.release();
    }
  };

  /** Returns the slower of the requested pace and that of robots.txt. */
  async function paceOf({ url, options, pace: { concurrency, delayMs } }: RecaptureRequest): Promise<Pace> {
    const policy = options.respectRobots ? await robots.policyOf(url).catch(() => undefined) : undefined;
    const requestedMs = Math.max(0, Math.min(delayMs, MAX_DELAY_MS));
    return {
      concurrency: Math.max(1, Math.min(concurrency, MAX_CONCURRENCY)),
      delayMs: Math.max(requestedMs, (policy?.crawlDelaySeconds ?? 0) * 1000),
    };
  }
}

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
    explain: false,
    htmlOfHome: false,
    extract: undefined,
    cutBlocks: true,
  },
  session: '',
  isPaced: true,
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
