import { cpuOfOneMs } from './cost.ts';

const LOOK_EVERY_MS = 10;
/** The CPU a process may save up: what it may then spend at once. */
const SAVED_MS = 50;

/**
 * Holds a process to a share of one core, as a container's limit does: it is stopped while it has spent what it was given, and
 * goes on as more is given. What it spends too much in one stretch is taken from the next. Answers with what lets it go.
 */
export function holdToShare(pid: number, share: number): () => void {
  let [usedMs, lookedAtMs, leftMs, stopped] = [cpuOfOneMs(pid), performance.now(), 0, false];
  const set = (stop: boolean): void => {
    if (stop === stopped) return;
    stopped = stop;
    try {
      process.kill(pid, stop ? 'SIGSTOP' : 'SIGCONT');
    } catch {
      clearInterval(timer); // it has ended
    }
  };
  const timer = setInterval(() => {
    const [used, now] = [cpuOfOneMs(pid), performance.now()];
    leftMs = Math.min(SAVED_MS, leftMs + share * (now - lookedAtMs) - (used - usedMs));
    [usedMs, lookedAtMs] = [used, now];
    set(leftMs <= 0);
  }, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    set(false);
  };
}
