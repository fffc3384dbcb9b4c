import { cpuOfOneMs } from './cost.ts';

const POLL_EVERY_MS = 10;
/** CPU budget a process may accumulate, ms. */
const SAVED_MS = 50;

/**
 * Limits a process to a share of one core, as a container's limit does: it is stopped while its budget is spent and continued as
 * the budget grows. Overspending is deducted from the next interval. @returns a function that lifts the limit
 */
export function holdToShare(pid: number, share: number): () => void {
  let [usedMs, sampledAtMs, leftMs, stopped] = [cpuOfOneMs(pid), performance.now(), 0, false];
  const set = (stop: boolean): void => {
    if (stop === stopped) return;
    stopped = stop;
    try {
      process.kill(pid, stop ? 'SIGSTOP' : 'SIGCONT');
    } catch {
      clearInterval(timer); // the process has ended
    }
  };
  const timer = setInterval(() => {
    const [used, now] = [cpuOfOneMs(pid), performance.now()];
    leftMs = Math.min(SAVED_MS, leftMs + share * (now - sampledAtMs) - (used - usedMs));
    [usedMs, sampledAtMs] = [used, now];
    set(leftMs <= 0);
  }, POLL_EVERY_MS);
  return () => {
    clearInterval(timer);
    set(false);
  };
}
