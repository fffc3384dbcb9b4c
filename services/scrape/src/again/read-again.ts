import { newId } from '@tidemark/contracts';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { ReadAgainResponse } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { Captured } from '../capture-deps.ts';
import { holdSeconds } from '../domain/batch.ts';
import { type CaptureOptions, needsBrowser } from '../domain/capture-options.ts';
import { contentVariantKeyOf } from '../domain/compared.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Budget } from '../domain/ports.ts';
import { type Pace, type PaceKeeper, turnAt } from '../pace/host-pace.ts';

/** Milliseconds one look may take, the wait for its host's turn and all. */
const LOOK_MS = 20_000;
const LONGEST_DELAY_MS = 60_000;
const MOST_AT_ONCE = 64;

export interface ReadAgainDeps {
  readonly capture: (task: PageTask, creditsLeased: number, budget: Budget) => Promise<Captured>;
  readonly robots: { rulesOf(url: string): Promise<{ readonly crawlDelaySeconds: number | undefined }> };
  readonly pace: PaceKeeper;
}

/** What is looked at, and whose page it is. */
export interface Look {
  readonly url: string;
  readonly options: CaptureOptions;
  readonly workspaceId: string;
  readonly pace: Pace;
}

/**
 * Reads a page as a run would, as far as plain fetches go: the same robots.txt, pace, guard and reader. Free, and nothing of it is kept.
 * @throws AppError validation, rate_limited where its host's turn does not come in time: that says nothing of the page
 */
export function makeReadAgain({ capture, robots, pace }: ReadAgainDeps) {
  return async (look: Look, signal: AbortSignal): Promise<ReadAgainResponse> => {
    const { url, options } = look;
    const address = URL.parse(url);
    if (!/^https?:$/.test(address?.protocol ?? '') || address === null)
      throw new AppError('validation', 'url is no web address');
    const ending = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
    const endsAtMs = performance.now() + LOOK_MS;
    const turn = await turnAt(pace, address.host, await paceOf(look), ending);
    if (turn === undefined)
      throw new AppError('rate_limited', 'the turn of this page at its host did not come in time');
    try {
      const budget = { remainingMs: () => Math.max(1, endsAtMs - performance.now()), signal: ending };
      const { row, bodies, askedToWait } = await capture(plainly(look), Number.MAX_SAFE_INTEGER, budget);
      if (askedToWait !== undefined) await pace.hold(address.host, holdSeconds(askedToWait.seconds, 0) * 1000);
      if (isBeyond(options, row)) return { page: { row: unread(row), bodies: Buffer.alloc(0) } };
      return { page: { row: { ...row, credits: 0 }, bodies: Buffer.from(bodies ?? []) } };
    } finally {
      await turn.done();
    }
  };

  /** The slower of what is asked for and what robots.txt asks for. */
  async function paceOf({ url, options, pace: { concurrency, delayMs } }: Look): Promise<Pace> {
    const rules = options.respectRobots ? await robots.rulesOf(url).catch(() => undefined) : undefined;
    const asked = Math.max(0, Math.min(delayMs, LONGEST_DELAY_MS));
    return {
      concurrency: Math.max(1, Math.min(concurrency, MOST_AT_ONCE)),
      delayMs: Math.max(asked, (rules?.crawlDelaySeconds ?? 0) * 1000),
    };
  }
}

/** The page as a run would ask for it, but for a browser, an exit, an earlier reading in its stead, and all that is kept. */
const plainly = ({ url, options, workspaceId }: Look): PageTask => ({
  jobId: '',
  captureId: newId('cap'),
  workspaceId,
  url,
  options: {
    ...options,
    renderJs: 'never',
    maxTier: 'http',
    useProxy: 'never',
    waitFor: undefined,
    actions: [],
    screenshot: 'none',
    formats: [],
    maxAgeSeconds: 0,
    maxCredits: undefined,
    explain: false,
    htmlOfHome: false,
    cutBlocks: true,
  },
  session: '',
  isPaced: true,
  isLook: true,
  lane: 'batch',
  contentVariantKey: contentVariantKeyOf(options),
});

/** A plain fetch shows that such a page is gone or refused, and not what a browser would have read. */
const isBeyond = (options: CaptureOptions, { verdict }: PageRow): boolean =>
  needsBrowser(options) && (verdict === 'ok' || verdict === 'thin');

const unread = (row: PageRow): PageRow => ({
  ...row,
  verdict: 'blocked',
  errorCode: 'TIER_LIMIT',
  reason: 'only a browser reads it as its options ask',
  credits: 0,
  contentHash: undefined,
  comparedHash: undefined,
  blocksVersion: undefined,
  matched: undefined,
});
