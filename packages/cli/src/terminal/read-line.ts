import { CliError, EXIT } from '../exit.ts';

interface ReadOptions {
  /** Does not show what is typed. */
  readonly isHidden?: boolean;
}

/** Turns the echo of the terminal off. Returns the function that turns it on. */
async function hideInput(): Promise<() => void> {
  const { spawnSync } = await import('node:child_process');
  const stty = (word: string) => spawnSync('stty', [word], { stdio: ['inherit', 'ignore', 'ignore'] });
  stty('-echo');
  return () => void stty('echo');
}

/** Reads a line from the terminal. The end of the input is an empty line. @throws the reason of the signal at Ctrl-C */
export async function readLine(
  question: string,
  signal: AbortSignal,
  { isHidden = false }: ReadOptions = {},
): Promise<string> {
  if (!process.stdin.isTTY) throw new CliError('standard input is no terminal', EXIT.usage);
  const { createInterface } = await import('node:readline');
  const restore = isHidden ? await hideInput() : undefined;
  process.stderr.write(question);
  // Without a terminal of its own the interface leaves Ctrl-C to the signal of the process.
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    const answer = await new Promise<string>((resolve) => {
      lines.once('line', resolve).once('close', () => resolve(''));
      signal.addEventListener('abort', () => lines.close(), { once: true });
    });
    signal.throwIfAborted();
    return answer.trim();
  } finally {
    restore?.();
    lines.close();
    if (isHidden) process.stderr.write('\n');
  }
}
