import { type Command, Option } from 'commander';
import { confirm, contextOf } from '../context.ts';

const INVITED_ROLES = ['viewer', 'member', 'admin'] as const;
const ROLES = [...INVITED_ROLES, 'owner'] as const;

interface RemoveFlags {
  readonly yes?: true;
  readonly revokeKeys?: true;
}

function addInvites(members: Command): void {
  members
    .command('invite')
    .description('invite a person to the workspace')
    .argument('<email>', 'address of the person')
    .addOption(new Option('--role <role>', 'what the person may do').choices(INVITED_ROLES).default('member'))
    .action(async (email: string, { role }: { role: (typeof INVITED_ROLES)[number] }, command: Command) => {
      const { client, out } = contextOf(command);
      const invite = await client().call('POST /auth/invites', { body: { email, role } });
      if (out.isJson) return out.record(invite);
      out.text(invite.link ?? invite.id);
      out.note(invite.link === undefined ? `invited ${email}` : 'there is no mail host: pass the link on');
    });
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
  members
    .command('remove')
    .description('remove a member from the workspace')
    .argument('<user>', 'member (usr_…)')
    .option('--revoke-keys', 'also revoke the API keys that the member created')
    .option('--yes', 'skip the confirmation')
    .action(async (user: string, { yes, revokeKeys }: RemoveFlags, command: Command) => {
      const { client, out } = contextOf(command);
      await confirm(`This removes ${user} from the workspace.`, yes);
      const query = revokeKeys === true ? { revoke_keys: 'true' as const } : {};
      await client().call('DELETE /auth/members/{user}', { path: { user }, query });
      out.note(`removed ${user}`);
    });
}
