import { Tidemark } from '@tidemark/sdk';
import type { Command } from 'commander';
import { CliError, EXIT } from './exit.ts';
import { interruptSignal } from './interrupt.ts';
import { type Access, accessOf } from './settings.ts';
import { Output } from './terminal/output.ts';
import { readLine } from './terminal/read-line.ts';

export interface GlobalOptions {
  readonly json?: boolean;
  readonly fields?: string;
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly workspace?: string;
}

/** What the action of a command works with. */
export interface Context {
  readonly out: Output;
  readonly access: Access;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Creates a client. @throws CliError where there is no key */
  client(): Tidemark;
}

/** Returns the context of a command. */
export function contextOf(command: Command): Context {
  const options = command.optsWithGlobals<GlobalOptions>();
  const access = accessOf(options, process.env);
  return {
    access,
    out: new Output(options),
    signal: interruptSignal,
    client() {
      if (access.apiKey === '')
        throw new CliError('there is no key: run `tidemark login`, or set TIDEMARK_API_KEY', EXIT.signIn);
      return new Tidemark({ ...access, workspace: options.workspace });
    },
  };
}

/** Requires `--yes` off a terminal, or the confirmation of the user on one. */
export async function confirm(question: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed === true) return;
  if (!process.stdin.isTTY) throw new CliError(`${question} Repeat the command with --yes to confirm.`, EXIT.usage);
  const answer = await readLine(`${question} Type yes to confirm: `, interruptSignal);
  if (answer !== 'yes') throw new CliError('not confirmed: nothing was changed');
}
