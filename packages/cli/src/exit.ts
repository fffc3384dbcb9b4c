import { TidemarkError } from '@tidemark/sdk';

/** Exit codes of the command line. 64 and above follow sysexits.h. */
export const EXIT = { ok: 0, failed: 1, changes: 2, noVerdict: 3, signIn: 4, usage: 64, interrupted: 130 } as const;

/** An error whose message is complete for the user: what happened and what to do. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the message of an error with that of its cause: the errors of `fetch` have the reason there. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
};

const ADVICE: Readonly<Record<string, string>> = {
  unauthorized: 'Run `tidemark login`, or set TIDEMARK_API_KEY to a valid key.',
  scopes: 'Use a key with this scope: `tidemark whoami` shows what the key may do.',
  network: 'Check the base URL with `tidemark doctor`; --base-url or TIDEMARK_BASE_URL sets another.',
  unexpected: 'Check the base URL with `tidemark doctor`; it must end in the version prefix, such as /v1.',
  credits_exhausted: '`tidemark usage` shows the credits of the workspace.',
};

/** Returns what is printed for an error, and the exit code. */
export function describeError(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof CliError) {
    const { message, exitCode } = error;
    return { text: exitCode === EXIT.interrupted ? message : `error: ${message}`, exitCode };
  }
  if (!(error instanceof TidemarkError)) {
    const text = error instanceof Error ? error.message : String(error);
    return { text: `error: ${text}`, exitCode: EXIT.failed };
  }
  const { code, message, requestId, detail = [] } = error;
  const lines = [
    `error: ${message}`,
    // The message repeats the first ones.
    ...detail.filter(({ msg }) => !message.includes(msg)).map(({ loc, msg }) => `  ${loc.slice(1).join('.')}: ${msg}`),
    ...(ADVICE[code] === undefined ? [] : [ADVICE[code]]),
    `(${[code, ...(requestId === undefined ? [] : [`request ${requestId}`])].join(', ')})`,
  ];
  return { text: lines.join('\n'), exitCode: code === 'unauthorized' ? EXIT.signIn : EXIT.failed };
}
