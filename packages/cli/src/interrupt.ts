import { CliError, EXIT } from './exit.ts';

/** Time in which a command ends by itself after Ctrl-C, ms: one that follows a job prints how to continue. */
const GRACE_MS = 300;

const interrupted = new AbortController();

/** Aborts at the first Ctrl-C. */
export const interruptSignal: AbortSignal = interrupted.signal;

/** Aborts the signal, and ends the process if its command does not react. A second call ends it at once. */
export function interrupt(): void {
  const end = (): never => {
    process.stderr.write('interrupted\n');
    process.exit(EXIT.interrupted);
  };
  if (interrupted.signal.aborted) end();
  interrupted.abort(new CliError('interrupted', EXIT.interrupted));
  setTimeout(end, GRACE_MS).unref();
}

/** Handles Ctrl-C from now on. */
export const watchInterrupts = (): void => void process.on('SIGINT', interrupt);
