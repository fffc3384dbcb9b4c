/**
 * Resolves at the first Ctrl-C, SIGTERM or hang-up, and aborts `stopping`, so that a start under way is called off.
 * A second one ends everything at once.
 */
export function onStopSignal(stopping: AbortController, say: (text: string) => void): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      if (stopping.signal.aborted) {
        say('Ending everything at once.');
        // The parts end with us: the kernel signals them, and the services see their channel close.
        process.exit(1);
      }
      say(signal === 'SIGINT' ? '\nStopping; once more to end everything at once.' : `\nStopping on ${signal}.`);
      stopping.abort();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}
