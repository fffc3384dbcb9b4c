import { Tidemark } from '@tidemark/sdk';
import type { Command } from 'commander';
import { contextOf, type GlobalOptions } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { readInput } from '../files.ts';
import { accessOf, readProfiles, settingsFile, writeProfiles } from '../settings.ts';
import { readLine } from '../terminal/read-line.ts';

/** Reads a key without showing it. */
async function readKey(signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) throw new CliError('standard input is no terminal: use --key-stdin', EXIT.usage);
  return await readLine('API key (not shown): ', signal, { isHidden: true });
}

async function logIn(command: Command, fromStdin: boolean): Promise<void> {
  const { profile = 'default', ...options } = command.optsWithGlobals<GlobalOptions>();
  const { out, signal } = contextOf(command);
  const { baseUrl } = accessOf({ ...options, profile }, process.env);
  const apiKey = fromStdin ? (await readInput('-', signal)).trim() : await readKey(signal);
  if (!apiKey.startsWith('service_')) throw new CliError('this is no API key: keys begin with service_', EXIT.usage);
  const me = await new Tidemark({ apiKey, baseUrl }).call('GET /me', { signal });
  const file = settingsFile(process.env);
  writeProfiles(file, { ...readProfiles(file), [profile]: { apiKey, baseUrl } });
  out.note(`signed in to ${me.name} (${me.plan}) at ${baseUrl}; the key is stored in ${file}`);
}

function addLogin(program: Command): void {
  program
    .command('login')
    .description('store an API key in the settings of the user')
    .option('--key-stdin', 'read the key from standard input')
    .addHelpText(
      'before',
      'Examples:\n  tidemark login --base-url https://tidemark.example/v1\n  pass tidemark | tidemark login --key-stdin\n',
    )
    .action((flags: { keyStdin?: true }, command: Command) => logIn(command, flags.keyStdin === true));

  program
    .command('logout')
    .description('remove the stored key')
    .action((_: object, command: Command) => {
      const { profile = 'default' } = command.optsWithGlobals<GlobalOptions>();
      const file = settingsFile(process.env);
      const { [profile]: removed, ...others } = readProfiles(file);
      if (removed !== undefined) writeProfiles(file, others);
      contextOf(command).out.note(
        removed === undefined ? `there is no profile ${profile}` : `removed the profile ${profile}`,
      );
    });
}

export function addAccount(program: Command): void {
  addLogin(program);
  program
    .command('whoami')
    .description('show the workspace and what the key may do')
    .action(async (_: object, command: Command) => {
      const { client, out, signal, access } = contextOf(command);
      const me = await client().call('GET /me', { signal });
      if (out.isJson) return out.record(me);
      const { id, name, plan, credits, limits, key } = me;
      const can = key?.can.join(', ') ?? 'session';
      out.object({
        workspace: `${name} (${id})`,
        plan,
        key: key?.name ?? '-',
        can,
        remaining: credits.remaining ?? 'no limit',
        rpm: limits.rpm,
        baseUrl: access.baseUrl,
      });
    });

  program
    .command('config')
    .description('show the settings in use, without the key')
    .action((_: object, command: Command) => {
      const { out, access } = contextOf(command);
      const { apiKey, baseUrl, source } = access;
      out.object({
        file: settingsFile(process.env),
        baseUrl,
        key: apiKey === '' ? 'none' : `…${apiKey.slice(-4)}`,
        source,
      });
    });

  program
    .command('usage')
    .description('pages and credits by day')
    .action(async (_: object, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const { days, month } = await client().call('GET /me/usage', { signal });
      await out.rows(days, ({ day, pages, credits }) => ({ day, pages, credits }));
      out.note(`this month: ${month.pages} pages, ${month.credits} credits`);
    });
}
