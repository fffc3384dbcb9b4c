import { asList, asObject, type Monitor } from '@tidemark/api';
import { type FirecrawlCall, type FirecrawlResponse, type FirecrawlRoute, ok } from './firecrawl-call.ts';

/** Balance of a plan without a credit limit: the clients compare it with numbers. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;
const DAY_MS = 86_400_000;

async function creditUsage({ call, version }: FirecrawlCall): Promise<FirecrawlResponse> {
  const credits = asObject(asObject((await call('getMe')).body)['credits']);
  const remaining = typeof credits['remaining'] === 'number' ? credits['remaining'] : UNLIMITED;
  // The routes of this service state neither the credits of the plan nor its period.
  const period = { billingPeriodStart: null, billingPeriodEnd: null };
  const data = version === 'v1' ? { remaining_credits: remaining } : { remainingCredits: remaining, ...period };
  return ok({ success: true, data });
}

/** Credits per day of the last 30 days. */
async function creditHistory({ call }: FirecrawlCall): Promise<FirecrawlResponse> {
  const days = asList(asObject((await call('getUsage')).body)['days']).map(asObject);
  const periods = days.map(({ day, credits }) => {
    const startMs = Date.parse(String(day));
    return {
      startDate: new Date(startMs).toISOString(),
      endDate: new Date(startMs + DAY_MS).toISOString(),
      creditsUsed: credits,
    };
  });
  return ok({ success: true, periods });
}

const isMonitorQueue = (value: unknown): value is Monitor['queues'][number] =>
  typeof asObject(value)['queued'] === 'number' && typeof asObject(value)['running'] === 'number';

/** Sums the queues of the workspace. */
async function queueOf({ call }: FirecrawlCall): Promise<{ readonly waiting: number; readonly active: number }> {
  const queues = asList(asObject((await call('getMonitor')).body)['queues']).filter(isMonitorQueue);
  return {
    waiting: queues.reduce((sum, { queued }) => sum + queued, 0),
    active: queues.reduce((sum, { running }) => sum + running, 0),
  };
}

/**
 * The largest `maxConcurrency` that a job may request. A workspace has no fixed number of its own; the clients print this one and compare with it.
 */
const MOST_CONCURRENT = 100;

/** No route states the last success: it is null. */
async function queueStatus(request: FirecrawlCall): Promise<FirecrawlResponse> {
  const { waiting, active } = await queueOf(request);
  return ok({
    success: true,
    jobsInQueue: waiting + active,
    activeJobsInQueue: active,
    waitingJobsInQueue: waiting,
    maxConcurrency: Math.max(MOST_CONCURRENT, active),
    mostRecentSuccess: null,
  });
}

async function concurrency(request: FirecrawlCall): Promise<FirecrawlResponse> {
  const { active } = await queueOf(request);
  return ok({ success: true, concurrency: active, maxConcurrency: Math.max(MOST_CONCURRENT, active) });
}

/** Routes about the workspace. */
export const teamRoutes = (): FirecrawlRoute[] => [
  { method: 'get', path: '/team/credit-usage', respond: creditUsage },
  { method: 'get', path: '/team/credit-usage/historical', respond: creditHistory },
  { method: 'get', path: '/team/queue-status', respond: queueStatus },
  { method: 'get', path: '/concurrency-check', respond: concurrency },
];
