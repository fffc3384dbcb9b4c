import type { Body } from '@tidemark/sdk';
import type { Command } from 'commander';
import { confirm, contextOf } from '../context.ts';
import { addListOptions, type ListFlags, printList } from '../list.ts';
import { addRouteOptions, addSettingsHelp, type OwnWords, settingsOfRoute } from '../route-options.ts';

const OWN_OF_CREATE = {
  name: '[name]',
  connection_id: '[connection]',
} as const satisfies OwnWords<'POST /destinations'>;
const OWN_OF_SYNC = {
  project_id: '--project',
  run_id: '--run',
} as const satisfies OwnWords<'POST /destinations/{id}/sync'>;

function addLists(destinations: Command): void {
  addListOptions(
    destinations.command('list', { isDefault: true }).description('list the destinations of the workspace'),
  ).action(async (flags: ListFlags, command: Command) => {
    const context = contextOf(command);
    const client = context.client();
    await printList(context, flags, {
      atOnce: 200,
      read: (range) => client.page('GET /destinations', { query: range }),
      columns: ({ id, name, provider, scope, dataset, mode, table, path, automatic }) => ({
        id,
        name,
        provider,
        scope,
        dataset,
        mode,
        to: table ?? path,
        automatic,
      }),
    });
  });
  addListOptions(
    destinations.command('syncs').description('list what was written to a destination').argument('<id>', 'destination'),
  ).action(async (id: string, flags: ListFlags, command: Command) => {
    const context = contextOf(command);
    const client = context.client();
    await printList(context, flags, {
      atOnce: 200,
      read: (range) => client.page('GET /destinations/{id}/syncs', { path: { id }, query: range }),
      columns: ({ id: sync, source, status, rows, error }) => ({
        id: sync,
        source: source.id,
        status,
        written: rows.written,
        unchanged: rows.unchanged,
        deleted: rows.deleted,
        skipped: rows.skipped,
        error: error?.message,
      }),
    });
  });
}

function addWrites(destinations: Command): void {
  const create = destinations
    .command('create')
    .description('create a destination')
    .argument('<connection>', 'connection (con_…)')
    .argument('<name>', 'name of the destination')
    .argument('[settings...]', 'KEY=VALUE: the settings below');
  addSettingsHelp(create, 'POST /destinations', OWN_OF_CREATE)
    .addHelpText(
      'before',
      'Examples:\n  tidemark destinations create con_01j… Warehouse dataset=pages table=pages mode=mirror\n',
    )
    .action(async (connection_id: string, name: string, pairs: string[], _: object, command: Command) => {
      const { client, out } = contextOf(command);
      const body: Body<'POST /destinations'> = {
        ...settingsOfRoute('POST /destinations', pairs),
        name,
        connection_id,
      };
      const made = await client().call('POST /destinations', { body });
      if (out.isJson) out.record(made);
      else out.text(made.id);
    });
  const set = destinations
    .command('set')
    .description('change settings of a destination')
    .argument('<id>', 'destination')
    .argument('<settings...>', 'KEY=VALUE: the settings below');
  addSettingsHelp(set, 'PATCH /destinations/{id}', {})
    .addHelpText('before', 'Examples:\n  tidemark destinations set dst_01j… status=paused\n')
    .action(async (id: string, pairs: string[], _: object, command: Command) => {
      const { client, out } = contextOf(command);
      const changed = await client().call('PATCH /destinations/{id}', {
        path: { id },
        body: settingsOfRoute('PATCH /destinations/{id}', pairs),
      });
      out.note(`changed ${changed.id}`);
    });
  const sync = destinations
    .command('sync')
    .description('write the newest run of each project, or one run, to a destination')
    .argument('<id>', 'destination')
    .option('--project <id>', 'this project only')
    .option('--run <id>', 'this run of the project');
  addRouteOptions(sync, 'POST /destinations/{id}/sync', OWN_OF_SYNC).action(
    async (id: string, flags: { project?: string; run?: string }, command: Command) => {
      const { client, out } = contextOf(command);
      const body = { project_id: flags.project, run_id: flags.run };
      const { data } = await client().call('POST /destinations/{id}/sync', { path: { id }, body });
      await out.rows(data, ({ id: sync, source, status }) => ({ id: sync, source: source.id, status }));
    },
  );
  destinations
    .command('delete')
    .description('delete a destination; what was written stays')
    .argument('<id>', 'destination')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, { yes }: { yes?: true }, command: Command) => {
      const { client, out } = contextOf(command);
      await confirm(`This deletes the destination ${id}.`, yes);
      await client().call('DELETE /destinations/{id}', { path: { id } });
      out.note(`deleted ${id}`);
    });
}

export function addDestinations(program: Command): void {
  const destinations = program.command('destinations').description('databases and buckets that runs are written to');
  addLists(destinations);
  destinations
    .command('get')
    .description('show a destination with its newest sync')
    .argument('<id>', 'destination')
    .action(async (id: string, _: object, command: Command) => {
      const { client, out } = contextOf(command);
      out.document(await client().call('GET /destinations/{id}', { path: { id } }));
    });
  addWrites(destinations);
}
