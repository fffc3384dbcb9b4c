import type { Logger } from '../logger.ts';
import type { CallRefused } from './call-guard.ts';

/** Minimum time between two log lines, ms: a flood of refused calls must not become a flood of log lines. */
const INTERVAL_MS = 1_000;

/** Logs a refused call: at most one line a second, with the number of refusals that were not logged before it. */
export type RefusalLog = (path: string, refusal: CallRefused, peer: string) => void;

/** `now`: a monotonic clock, ms. */
export function makeRefusalLog(log: Logger, now: () => number = () => performance.now()): RefusalLog {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (path, refusal, peer) => {
    if (now() - loggedAt < INTERVAL_MS) {
      suppressed += 1;
      return;
    }
    log.warn(
      { rpc: path, caller: refusal.caller, peer, reason: refusal.message, suppressed },
      'gRPC call refused: its credential was not accepted',
    );
    loggedAt = now();
    suppressed = 0;
  };
}
