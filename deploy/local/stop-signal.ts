import { parentOf } from './processes.ts';

const POLL_EVERY_MS = 500;

/**
 * Resolves at the first Ctrl-C, SIGTERM or SIGHUP, and aborts `stopping`, which cancels a start in progress.
 * A second signal ends every process at once.
 */
export function onStopSignal(stopping: AbortController, say: (text: string) => void): Promise<void> {
  return new Promise((resolve) => {
    const stop = (text: string): void => {
      if (stopping.signal.aborted) {
        say('Ending everything at once.');
        // The parts end with this process: the kernel signals them, and the services detect that their IPC channel is closed.
        process.exit(1);
      }
      say(text);
      stopping.abort();
      resolve();
    };
    process.on('SIGINT', () => stop('\nStopping; once more to end everything at once.'));
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(`\nStopping on ${signal}.`));
    onNpmGone(() => stop('\nStopping: npm is gone.'));
  });
}

/** npm runs this process under a shell, which does not forward SIGTERM: both parents are polled instead. */
function onNpmGone(onGone: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const ancestors = (): string => `${process.ppid} ${parentOf(process.ppid)}`;
  const before = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(timer);
    onGone();
  }, POLL_EVERY_MS);
  timer.unref();
}
