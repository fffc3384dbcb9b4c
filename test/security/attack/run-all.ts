import { type Attempt, type Outcome, reportOf, type Sender, send } from './attempt.ts';
import { CONCURRENCY } from './settings.ts';

/** What became of a list of attempts. */
export interface Tally {
  readonly sent: number;
  /** A report of each attempt that was answered wrongly. */
  readonly failures: readonly string[];
  /** Responses by status. */
  readonly statuses: ReadonlyMap<number, number>;
}

const MOST_FAILURES = 5;

/** A further expectation of one response: returns what is wrong with it. */
export type Expectation = (attempt: Attempt, outcome: Outcome) => readonly string[];

export interface RunOptions {
  readonly expectation?: Expectation;
  /** When to stop, by the clock of `performance.now`. */
  readonly untilMs?: number;
  /** Failures after which the rest is not sent. */
  readonly mostFailures?: number;
}

/** Sends attempts, several at a time, until all are sent, some have failed or the time is over: one at least. */
export async function runAll(
  sender: Sender,
  attempts: readonly Attempt[],
  { expectation = () => [], untilMs = Number.POSITIVE_INFINITY, mostFailures = MOST_FAILURES }: RunOptions = {},
): Promise<Tally> {
  const failures: string[] = [];
  const statuses = new Map<number, number>();
  const waiting = attempts.values();
  let sent = 0;
  const worker = async (): Promise<void> => {
    for (const attempt of waiting) {
      if (failures.length >= mostFailures || (sent > 0 && performance.now() > untilMs)) return;
      const outcome = await send(sender, attempt);
      sent += 1;
      const status = outcome.response?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const problems = [...outcome.problems, ...expectation(attempt, outcome)];
      if (problems.length > 0) failures.push(reportOf(sender, attempt, { ...outcome, problems }));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return { sent, failures, statuses };
}
