import { newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type pg from 'pg';
import type { AccountSettings } from '../accounts/account-settings.ts';
import { join } from '../accounts/manage-invites.ts';
import { writeAudit } from '../store/audit-log.ts';
import type { InviteStore } from '../store/invite-store.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import type { UserStore } from '../store/user-store.ts';
import type { WelcomeStore } from '../store/welcome-store.ts';
import type { WorkspaceStore } from '../store/workspace-store.ts';
import { type GroupRole, rolesGiven } from './group-roles.ts';
import type { OidcClaims } from './oidc-provider.ts';

/**
 * Creates an account without a password: with the invitations of its address, or for a group that has a role here, otherwise with a workspace of its
 * own where sign-up is open.
 * @returns the id, and a function that announces the account after the commit. @throws AppError forbidden
 */
export type CreateOidcAccount = (
  db: pg.PoolClient,
  claims: OidcClaims,
) => Promise<{ readonly userId: string; readonly announce: () => void }>;

export function makeCreateOidcAccount({
  users,
  members,
  invites,
  workspaces,
  welcome,
  send,
  settings,
  rules,
}: {
  readonly users: UserStore;
  readonly members: MemberStore;
  readonly invites: InviteStore;
  readonly workspaces: WorkspaceStore;
  readonly welcome: WelcomeStore;
  readonly send: SendEvents;
  readonly settings: AccountSettings;
  readonly rules: readonly GroupRole[];
}): CreateOidcAccount {
  return async (db, { email, name, groups }) => {
    const hasGroup = rolesGiven(rules, groups).size > 0;
    const invitations = settings.signUp === 'closed' ? [] : await invites.listOfAddress(email);
    if (invitations.length === 0 && settings.signUp !== 'open' && !hasGroup) {
      const [unproven] = await users.accountsOf(email, db);
      throw new AppError('forbidden', unproven === undefined ? noAccount(email) : notProven(email));
    }
    const userId = newId('usr');
    const shown = name.trim().slice(0, 100) || email;
    await users.create(db, { id: userId, email, name: shown, passwordHash: null, address: 'proven' });
    for (const invite of invitations) await join({ members, invites }, db, { invite, userId });
    // Groups give the memberships after the account exists.
    if (invitations.length > 0 || hasGroup) return { userId, announce: () => undefined };
    const workspaceId = newId('ws');
    await workspaces.create(db, {
      id: workspaceId,
      name: `${shown}’s workspace`.slice(0, 100),
      plan: settings.defaultPlan,
    });
    await members.add(db, { workspaceId, userId, role: 'owner' });
    await writeAudit(db, {
      workspaceId,
      actorId: userId,
      action: 'member.joined',
      subjectId: userId,
      detail: { role: 'owner' },
    });
    const outgoing = await welcome.grant(db, { userId, email, workspaceId });
    return { userId, announce: () => send(outgoing) };
  };
}

const noAccount = (email: string): string =>
  `there is no account for ${email}; an admin of a workspace invites it first`;
const notProven = (email: string): string =>
  `the account with the address ${email} was made with a password, and nothing has verified its address; sign in with the password, change its address, and invite ${email}`;
