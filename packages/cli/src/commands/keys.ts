import { type Command, Option } from 'commander';
import { confirm, contextOf } from '../context.ts';
import { addListOptions, type ListFlags, printList } from '../list.ts';
import { addRouteOptions, type OwnWords, routeFields } from '../route-options.ts';

interface KeyFlags {
  readonly scope: 'read' | 'write' | 'admin';
}

const OWN = { name: '[name]', scopes: '--scope' } as const satisfies OwnWords<'POST /me/keys'>;

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('list, create and revoke API keys');
  addListOptions(keys.command('list', { isDefault: true }).description('list the keys of the workspace')).action(
    async (flags: ListFlags, command: Command) => {
      const context = contextOf(command);
      const client = context.client();
      await printList(context, flags, {
        atOnce: 200,
        read: (range) => client.page('GET /me/keys', { query: range }),
        columns: ({ id, name, scopes, lastFour, lastUsedAt, expiresAt }) => ({
          id,
          name,
          scopes,
          key: `…${lastFour}`,
          lastUsedAt,
          expiresAt,
        }),
      });
    },
  );
  const create = keys
    .command('create')
    .description('create a key; its secret is printed once')
    .argument('<name>', 'name of the key')
    .addOption(new Option('--scope <scope>', 'what it may do').choices(['read', 'write', 'admin']).default('read'));
  addRouteOptions(create, 'POST /me/keys', OWN).action(async (name: string, flags: KeyFlags, command: Command) => {
    const { client, out } = contextOf(command);
    const body = { ...routeFields(command, 'POST /me/keys', OWN), name, scopes: [flags.scope] };
    const made = await client().call('POST /me/keys', { body });
    if (out.isJson) out.record(made);
    else out.text(made.secret);
  });
  keys
    .command('revoke')
    .description('revoke a key')
    .argument('<id>', 'key')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, { yes }: { yes?: true }, command: Command) => {
      const { client, out } = contextOf(command);
      await confirm(`Programs that use ${id} will be refused.`, yes);
      await client().call('DELETE /me/keys/{id}', { path: { id } });
      out.note(`revoked ${id}`);
    });
}
