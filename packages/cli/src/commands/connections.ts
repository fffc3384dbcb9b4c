import type { Command } from 'commander';
import { confirm, contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { readInput } from '../files.ts';
import { addListOptions, type ListFlags, printList } from '../list.ts';
import { settingsOf } from '../values.ts';

interface SecretFlags {
  readonly secretsFrom?: string;
  readonly name?: string;
}

/** Reads secrets as a JSON object. Arguments of a command are visible to other users of the machine. */
async function readSecrets(file: string | undefined, signal: AbortSignal): Promise<Record<string, string> | undefined> {
  if (file === undefined) return undefined;
  const refused = new CliError(`${file} is no JSON object of texts, such as {"password": "…"}`, EXIT.usage);
  let read: unknown;
  try {
    read = JSON.parse(await readInput(file, signal));
  } catch (error) {
    throw error instanceof SyntaxError ? refused : error;
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw refused;
  return Object.fromEntries(
    Object.entries(read).map(([name, value]) => {
      if (typeof value !== 'string') throw refused;
      return [name, value];
    }),
  );
}

function addReads(connections: Command): void {
  addListOptions(
    connections.command('list', { isDefault: true }).description('list the connections of the workspace'),
  ).action(async (flags: ListFlags, command: Command) => {
    const context = contextOf(command);
    const client = context.client();
    await printList(context, flags, {
      atOnce: 200,
      read: (range) => client.page('GET /connections', { query: range }),
      columns: ({ id, name, provider, lastTest, updatedAt }) => ({
        id,
        name,
        provider,
        test: lastTest === null ? 'not tested' : lastTest.ok ? 'ok' : lastTest.reason,
        updatedAt,
      }),
    });
  });
  connections
    .command('providers')
    .description('list the providers; --json shows the fields of their config and secrets')
    .action(async (_: object, command: Command) => {
      const { client, out } = contextOf(command);
      const { data } = await client().call('GET /connections/providers');
      await out.rows(data, ({ id, title }) => ({ id, title }));
    });
  connections
    .command('get')
    .description('show a connection, without its secrets')
    .argument('<id>', 'connection')
    .action(async (id: string, _: object, command: Command) => {
      const { client, out } = contextOf(command);
      out.document(await client().call('GET /connections/{id}', { path: { id } }));
    });
}

export function addConnections(program: Command): void {
  const connections = program.command('connections').description('accounts of databases, buckets and language models');
  addReads(connections);
  const secrets = ['--secrets-from <file>', 'JSON object of secrets; - is standard input'] as const;
  connections
    .command('create')
    .description('create a connection')
    .argument('<provider>', 'provider, as listed by `connections providers`')
    .argument('<name>', 'name of the connection')
    .argument('[config...]', 'KEY=VALUE: fields of the provider')
    .option(...secrets)
    .addHelpText(
      'before',
      'Examples:\n  tidemark connections create postgresql Warehouse host=db.example user=tm database=web --secrets-from secrets.json\n',
    )
    .action(async (provider: string, name: string, pairs: string[], flags: SecretFlags, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const body = { provider, name, config: settingsOf(pairs), secrets: await readSecrets(flags.secretsFrom, signal) };
      const made = await client().call('POST /connections', { body });
      if (out.isJson) out.record(made);
      else out.text(made.id);
    });
  connections
    .command('set')
    .description('change the name, the config or the secrets of a connection')
    .argument('<id>', 'connection')
    .argument('[config...]', 'KEY=VALUE: fields of the provider')
    .option('--name <name>', 'name of the connection')
    .option(...secrets)
    .action(async (id: string, pairs: string[], { name, secretsFrom }: SecretFlags, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const config = pairs.length === 0 ? undefined : settingsOf(pairs);
      const body = { name, config, secrets: await readSecrets(secretsFrom, signal) };
      await client().call('PATCH /connections/{id}', { path: { id }, body });
      out.note(`changed ${id}`);
    });
  connections
    .command('test')
    .description('test a connection, step by step; ends with 1 if it fails')
    .argument('<id>', 'connection')
    .action(async (id: string, _: object, command: Command) => {
      const { client, out } = contextOf(command);
      const { lastTest } = await client().call('POST /connections/{id}/test', { path: { id }, body: {} });
      await out.rows(lastTest?.steps ?? [], ({ name, ok, message }) => ({ step: name, ok, message }));
      if (lastTest?.ok !== true) process.exitCode = EXIT.failed;
    });
  connections
    .command('delete')
    .description('delete a connection and its secrets')
    .argument('<id>', 'connection')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, { yes }: { yes?: true }, command: Command) => {
      const { client, out } = contextOf(command);
      await confirm(`This deletes the connection ${id}; destinations that use it fail.`, yes);
      await client().call('DELETE /connections/{id}', { path: { id } });
      out.note(`deleted ${id}`);
    });
}
