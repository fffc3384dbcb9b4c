import type { Command } from 'commander';
import { confirm, contextOf } from '../context.ts';
import { addRouteOptions, type OwnWords, routeFields } from '../route-options.ts';

const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
const OWN_OF_INVITE = { email: '[email]' } as const satisfies OwnWords<'POST /auth/invites'>;
const OWN_OF_REMOVE = { revoke_keys: '--revoke-keys' } as const satisfies OwnWords<'DELETE /auth/members/{user}'>;

interface RemoveFlags {
  readonly yes?: true;
  readonly revokeKeys?: true;
}

function addInvites(members: Command): void {
  const invite = members
    .command('invite')
    .description('invite a person to the workspace, by default as a member')
    .argument('<email>', 'address of the person');
  addRouteOptions(invite, 'POST /auth/invites', OWN_OF_INVITE).action(
    async (email: string, _: object, command: Command) => {
      const { client, out } = contextOf(command);
      const fields = routeFields(command, 'POST /auth/invites', OWN_OF_INVITE);
      const invite = await client().call('POST /auth/invites', { body: { role: 'member', ...fields, email } });
      if (out.isJson) return out.record(invite);
      out.text(invite.link ?? invite.id);
      out.note(invite.link === undefined ? `invited ${email}` : 'there is no mail host: pass the link on');
    },
  );
  members
    .command('uninvite')
    .description('revoke an open invitation')
    .argument('<id>', 'invitation (ivt_…)')
    .action(async (id: string, _: object, command: Command) => {
      const { client, out } = contextOf(command);
      await client().call('DELETE /auth/invites/{id}', { path: { id } });
      out.note(`revoked ${id}`);
    });
}

export function addMembers(program: Command): void {
  const members = program.command('members').description('people of the workspace and open invitations');
  members
    .command('list', { isDefault: true })
    .description('list the members of the workspace, then the open invitations')
    .action(async (_: object, command: Command) => {
      const { client, out } = contextOf(command);
      const { data, invites } = await client().call('GET /auth/members');
      const people = [
        ...data.map((one) => ({ ...one, invitedUntil: null })),
        ...invites.map(({ id, email, role, expiresAt }) => ({ id, name: null, email, role, invitedUntil: expiresAt })),
      ];
      await out.rows(people, ({ id, name, email, role, invitedUntil }) => ({ id, name, email, role, invitedUntil }));
    });
  addInvites(members);
  members
    .command('role')
    .description('change the role of a member')
    .argument('<user>', 'member (usr_…)')
    .argument('<role>', ROLES.join(', '))
    .action(async (user: string, text: string, _: object, command: Command) => {
      const role = ROLES.find((one) => one === text);
      if (role === undefined)
        command.error(`error: unknown role ${text}: expected ${ROLES.join(', ')}`, { exitCode: 64 });
      const { client, out } = contextOf(command);
      await client().call('PATCH /auth/members/{user}', { path: { user }, body: { role } });
      out.note(`${user}: ${role}`);
    });
  const remove = members
    .command('remove')
    .description('remove a member from the workspace')
    .argument('<user>', 'member (usr_…)')
    .option('--revoke-keys', 'also revoke the API keys that the member created')
    .option('--yes', 'skip the confirmation');
  addRouteOptions(remove, 'DELETE /auth/members/{user}', OWN_OF_REMOVE).action(
    async (user: string, { yes, revokeKeys }: RemoveFlags, command: Command) => {
      const { client, out } = contextOf(command);
      await confirm(`This removes ${user} from the workspace.`, yes);
      const query = revokeKeys === true ? { revoke_keys: 'true' as const } : {};
      await client().call('DELETE /auth/members/{user}', { path: { user }, query });
      out.note(`removed ${user}`);
    },
  );
}
