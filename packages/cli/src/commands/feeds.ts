import type { Command } from 'commander';
import { confirm, contextOf } from '../context.ts';
import { addRouteOptions, routeFields } from '../route-options.ts';

export function addFeeds(program: Command): void {
  const feeds = program.command('feeds').description('URLs at which feed readers read the changes of a project');
  feeds
    .command('list', { isDefault: true })
    .description('list the feeds of a project; their URLs are shown once, when they are made')
    .argument('<project>', 'project')
    .action(async (id: string, _: object, command: Command) => {
      const { client, out } = contextOf(command);
      const { data } = await client().call('GET /projects/{id}/feeds', { path: { id } });
      await out.rows(data, ({ id: feed, name, createdBy, createdAt }) => ({ id: feed, name, createdBy, createdAt }));
    });
  const create = feeds
    .command('create')
    .description('make a feed; its URL is printed once')
    .argument('<project>', 'project');
  addRouteOptions(create, 'POST /projects/{id}/feeds', {}).action(async (id: string, _: object, command: Command) => {
    const { client, out } = contextOf(command);
    const made = await client().call('POST /projects/{id}/feeds', {
      path: { id },
      body: routeFields(command, 'POST /projects/{id}/feeds', {}),
    });
    if (out.isJson) out.record(made);
    else out.text(made.url);
  });
  feeds
    .command('revoke')
    .description('revoke a feed')
    .argument('<project>', 'project')
    .argument('<feed>', 'id of the feed (fdl_…)')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, feed: string, { yes }: { yes?: true }, command: Command) => {
      const { client, out } = contextOf(command);
      await confirm(`Readers of ${feed} will get no further changes.`, yes);
      await client().call('DELETE /projects/{id}/feeds/{feed}', { path: { id, feed } });
      out.note(`revoked ${feed}`);
    });
}
