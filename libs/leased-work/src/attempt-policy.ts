/** Attempts in a row that may be interrupted: the process ended, and the lease expired without a result. Then the work is poison and fails. */
export const MAX_INTERRUPTIONS = 5;
/** Interruptions from which work is done alone, so that other work of a process that ends does not become poison with it. */
export const SUSPECT_INTERRUPTIONS = 2;

/** When failed work is tried again, and when it is given up. */
export interface AttemptPolicy {
  /** Attempts after which a failure is final; unlimited: a time limit of the queue ends the work. */
  readonly maxAttempts: number | 'unlimited';
  /** Seconds before the next attempt, by the number of failed attempts; the last value repeats. */
  readonly retrySeconds: readonly [number, ...number[]];
  /** Why it differs from the default. */
  readonly reason: string;
}

/** Doubles from `first` to `most`. */
function doubling(first: number, most: number): [number, ...number[]] {
  const rest: number[] = [];
  for (let seconds = first * 2; seconds < most; seconds *= 2) rest.push(seconds);
  return [first, ...rest, most];
}

const DEFAULT = { maxAttempts: 5, retrySeconds: [1, 5, 15, 30] } as const;

/** The policy of every queue. A difference from the default has its reason here and nowhere else. */
export const ATTEMPT_POLICIES = {
  /** Of scrape and map. */
  jobs: { ...DEFAULT, reason: 'default' },
  'scrape.batch_pages': { ...DEFAULT, reason: 'default' },
  'scrape.run_pages': { ...DEFAULT, reason: 'default; counted in memory, by the worker that holds the page' },
  'diff.records': {
    maxAttempts: 24,
    retrySeconds: [2, 10, 30, 120, 600],
    reason:
      'every later record of the project is compared with this one: three hours of retries outlast an outage of crawl or archive',
  },
  'diff.volatility_jobs': {
    maxAttempts: 5,
    retrySeconds: [60],
    reason: 'an attempt fetches pages of a site; what is not learned here is learned from the next runs',
  },
  'export.syncs': {
    maxAttempts: 7,
    retrySeconds: [60, 300, 1_800, 7_200, 21_600, 43_200],
    reason: 'the destination belongs to the customer and may be down for a day',
  },
  'delivery.deliveries': {
    maxAttempts: 7,
    retrySeconds: [60, 300, 1_800, 7_200, 21_600, 43_200],
    reason: 'the REST interface promises this schedule; after it the delivery is paused, not dropped',
  },
  'delivery.watches': {
    maxAttempts: 'unlimited',
    retrySeconds: doubling(1, 60),
    reason: 'a failure is of crawl or of the database, never of the work; the watch ends with its retention of 60 days',
  },
  'delivery.run_notifications': {
    maxAttempts: 'unlimited',
    retrySeconds: doubling(2, 60),
    reason: 'a failure is of another service or of the database; the notification ends with its retention of 7 days',
  },
  'projects.due_runs': {
    maxAttempts: 50,
    retrySeconds: doubling(2, 600),
    reason: 'a scheduled run that starts hours late is better than none; the next one may be due in a month',
  },
  'projects.expiry': {
    maxAttempts: 'unlimited',
    retrySeconds: [600],
    reason: 'the deletion of old runs is repeated every day for the life of the project',
  },
  'projects.adoptions': {
    maxAttempts: 'unlimited',
    retrySeconds: [15],
    reason: 'the project exists without the pages of its crawl until the adoption succeeds or crawl refuses it',
  },
  'archive.runs': {
    maxAttempts: 'unlimited',
    retrySeconds: [1, 1, 2, 2, 3, 5, 5, 10, 15],
    reason:
      'rows of pages arrive by events of other services; a row that is missing for an hour is left out, the list continues without it',
  },
  'billing.gateway_messages': {
    maxAttempts: 8,
    retrySeconds: [60, 300, 900, 3_600, 14_400, 43_200, 86_400],
    reason: 'a message may arrive days before the row of its order is known, and concerns money',
  },
  'billing.overage_charges': {
    maxAttempts: 'unlimited',
    retrySeconds: [120],
    reason: 'a charge stays due until the gateway has it',
  },
  'billing.unmatched_payments': {
    maxAttempts: 'unlimited',
    retrySeconds: [60],
    reason: 'money that belongs to no order is compared until it is matched or refunded; an operator is informed',
  },
  'all.workspace_states': {
    maxAttempts: 'unlimited',
    retrySeconds: [1],
    reason: 'the sweeps of a stopped workspace are repeated at fixed times, whether they fail or not',
  },
  'all.blob_candidates': {
    maxAttempts: 'unlimited',
    retrySeconds: [300],
    reason: 'a blob stays a candidate until it is referenced again or deleted',
  },
  'all.outbox': {
    maxAttempts: 'unlimited',
    retrySeconds: [15],
    reason: 'an event is sent until every consumer has stored it',
  },
  'crawl.runs': {
    maxAttempts: 20,
    retrySeconds: [0.5],
    reason: 'ten seconds of failures in a row within one claim; an unavailable database or service does not count',
  },
  'crawl.frontier': {
    maxAttempts: 5,
    retrySeconds: [1],
    reason: 'default; an offer that no worker reports is repeated after a timeout that doubles',
  },
} as const satisfies Readonly<Record<string, AttemptPolicy>>;

/** What follows a failed attempt. */
export type AfterFailure = { readonly next: 'retry'; readonly inSeconds: number } | { readonly next: 'give_up' };

/** Returns the seconds before the next attempt. @param failures failed attempts so far, from 1 */
export function retrySeconds({ retrySeconds: delays }: AttemptPolicy, failures: number): number {
  return delays[Math.max(0, Math.min(failures, delays.length) - 1)] ?? delays[0];
}

/** Decides what follows a failed attempt. @param attempts attempts so far, the failed one included */
export function afterFailure(policy: AttemptPolicy, attempts: number): AfterFailure {
  if (policy.maxAttempts !== 'unlimited' && attempts >= policy.maxAttempts) return { next: 'give_up' };
  return { next: 'retry', inSeconds: retrySeconds(policy, attempts) };
}

/** Whether claimed work ended the processes of its last attempts. @param interruptions attempts in a row that were interrupted */
export const isPoison = (interruptions: number): boolean => interruptions >= MAX_INTERRUPTIONS;

/** Returns why poison work failed. @param what what the process did, such as `wrote the sync` */
export const poisonReason = (what: string): string =>
  `the process that ${what} ended ${MAX_INTERRUPTIONS} times in a row`;
