import { actedBy, actorOf, type Caller, isId, newId, type Role, roleIncludes } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { lockGiver, refuseLimitedKey } from '../access/lock-giver.ts';
import type { AddressState } from '../domain/address-state.ts';
import { LIMITS, MAX_MEMBERS, ofAddress } from '../domain/limits.ts';
import { normalizeEmail } from '../domain/mailbox.ts';
import { hashToken, isToken } from '../domain/secret-token.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { checkPassword } from '../proofs/password-rules.ts';
import type { Passwords } from '../proofs/passwords.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import { writeAudit } from '../store/audit-log.ts';
import type { InviteRecord, InviteStore } from '../store/invite-store.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SessionClient, SessionStore } from '../store/session-store.ts';
import { isUniqueViolation } from '../store/unique-violation.ts';
import type { UserStore } from '../store/user-store.ts';
import type { WorkspaceStore } from '../store/workspace-store.ts';
import type { AccountSettings } from './account-settings.ts';
import { requireRole, roleOfCaller } from './manage-members.ts';
import { type OpenedSession, openSession, rotateSession } from './open-session.ts';

export interface CreatedInvite {
  readonly invite: Pick<InviteRecord, 'id' | 'email' | 'role' | 'invitedBy' | 'expiresAt'>;
  /** Empty where the invitation was mailed. */
  readonly token: string;
}

/**
 * Invites an address with a role up to the caller's, and never as owner. The response does not depend on whether the address has an account.
 * @throws AppError forbidden, conflict (a member already), rate_limited
 */
export type CreateInvite = (caller: Caller, request: { email: string; role: Role }) => Promise<CreatedInvite>;

export function makeCreateInvite({
  pool,
  users,
  members,
  invites,
  workspaces,
  attempts,
  mails,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly members: MemberStore;
  readonly invites: InviteStore;
  readonly workspaces: WorkspaceStore;
  readonly attempts: AttemptCounter;
  readonly mails: AccountMails;
}): CreateInvite {
  return async (caller, request) => {
    const { role } = request;
    const email = normalizeEmail(request.email);
    if (role === 'owner')
      throw new AppError(
        'forbidden',
        'an invitation can not give the role owner; an owner changes the role of a member',
      );
    const own = await roleOfCaller({ members }, caller);
    requireRole(own, 'admin', 'an invitation');
    const { workspaceId } = caller;
    await attempts.take([{ limit: LIMITS.invitesOfWorkspace, of: workspaceId }]);
    const inviter = caller.kind === 'person' ? await users.find(caller.userId) : undefined;
    const { created, send } = await inTransaction(pool, async (db) => {
      if (!(await members.lockWorkspace(db, workspaceId))) throw new AppError('not_found', 'workspace not found');
      if (await members.hasEmail(db, workspaceId, email))
        throw new AppError('conflict', 'this address is a member of the workspace already');
      refuseLimitedKey(await lockGiver(db, caller), 'an invitation');
      const made = await invites.create(db, {
        workspaceId,
        email,
        role,
        invitedBy: actorOf(caller),
        isMailed: mails.isOn,
      });
      await writeAudit(db, {
        ...actedBy(caller),
        action: 'invite.created',
        subjectId: made.id,
        detail: { email, role },
      });
      const workspaceName = (await workspaces.find(workspaceId, db))?.name ?? '';
      const about = { workspaceName, role, invitedBy: inviter?.name ?? '' };
      return { created: made, send: await mails.write(db, { kind: 'invite', to: email, token: made.token, ...about }) };
    });
    send();
    const { id, token, expiresAt } = created;
    return { invite: { id, email, role, invitedBy: actorOf(caller), expiresAt }, token: mails.isOn ? '' : token };
  };
}

/** Revokes an open invitation. @throws AppError forbidden, not_found */
export type RevokeInvite = (caller: Caller, id: string) => Promise<void>;

export function makeRevokeInvite({
  pool,
  members,
  invites,
}: {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly invites: InviteStore;
}): RevokeInvite {
  return async (caller, id) => {
    requireRole(await roleOfCaller({ members }, caller), 'admin', 'the revocation of an invitation');
    await inTransaction(pool, async (db) => {
      if (!isId('ivt', id) || !(await invites.revoke(db, caller.workspaceId, id)))
        throw new AppError('not_found', 'invitation not found');
      await writeAudit(db, { ...actedBy(caller), action: 'invite.revoked', subjectId: id });
    });
  };
}

/** Returns the invitation of a token. @throws AppError not_found for every invalid one alike */
export type ReadInvite = (token: string) => Promise<InviteRecord>;

export function makeReadInvite({ invites }: { readonly invites: InviteStore }): ReadInvite {
  return async (token) => {
    const invite = await invites.findByToken(token);
    if (invite === undefined) throw invalidInvite();
    return invite;
  };
}

export interface AcceptInviteRequest {
  readonly token: string;
  /** Name and password of a new account; empty where one exists. */
  readonly name: string;
  readonly password: string;
  /** Token of the session of the request; empty: none. */
  readonly sessionToken?: string | undefined;
  readonly client: SessionClient;
}

/**
 * Accepts an invitation: with the session of the invited address, or with a new account, whose address a mailed link proves. A link that was
 * handed to the inviter proves no mailbox.
 * @throws AppError not_found, unauthorized (an account exists: sign in first), forbidden (another address), validation, rate_limited
 */
export type AcceptInvite = (request: AcceptInviteRequest) => Promise<OpenedSession>;

export function makeAcceptInvite({
  pool,
  users,
  sessions,
  members,
  invites,
  attempts,
  passwords,
  settings,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly members: MemberStore;
  readonly invites: InviteStore;
  readonly attempts: AttemptCounter;
  readonly passwords: Passwords;
  readonly settings: AccountSettings;
}): AcceptInvite {
  return async (request) => {
    await attempts.take(ofAddress(LIMITS.tokensOfAddress, request.client.ip));
    const invite = await invites.findByToken(request.token);
    if (invite === undefined) throw invalidInvite();
    const own = await ownSession(request.sessionToken, invite);
    if (own !== undefined)
      return inTransaction(pool, async (db) => {
        await join({ members, invites }, db, { invite, userId: own.userId });
        const session = await rotateSession(sessions, db, { id: own.id, workspaceId: invite.workspaceId });
        if (session === undefined) throw invalidInvite();
        return session;
      });
    const known = invite.isMailed ? await users.findProven(invite.email) : (await users.accountsOf(invite.email))[0];
    if (known !== undefined) throw signInFirst(invite);
    return create(request, invite);
  };

  /** Returns the session of the invited person; undefined without one. */
  async function ownSession(token: string | undefined, invite: InviteRecord) {
    const session = token !== undefined && isToken(token) ? await sessions.findByToken(hashToken(token)) : undefined;
    if (session === undefined) return undefined;
    const user = await users.find(session.userId);
    if (session.state !== 'full' || user === undefined || user.email !== invite.email)
      throw new AppError(
        'forbidden',
        `this invitation is for ${invite.email}; sign out, and sign in with that address or create its account`,
      );
    // An account that nothing has verified may be another person's: a mailed link proves the mailbox, the session does not.
    const isOwn = user.address === 'proven' || (user.address === 'unproven' && !invite.isMailed);
    return isOwn ? { id: session.id, userId: user.id } : undefined;
  }

  async function create({ name, password, client }: AcceptInviteRequest, invite: InviteRecord): Promise<OpenedSession> {
    if (name.trim() === '')
      throw new AppError('validation', 'name: expected, because the address has no account yet', {
        detail: [{ loc: ['body', 'name'], msg: 'required', type: 'required' }],
      });
    const address: AddressState = invite.isMailed ? 'proven' : 'unproven';
    const user = { id: newId('usr'), email: invite.email, name: name.trim(), address };
    checkPassword(password, user, settings.passwordMin);
    const passwordHash = await passwords.hash(password);
    const { workspaceId } = invite;
    try {
      return await inTransaction(pool, async (db) => {
        await users.create(db, { ...user, passwordHash });
        await join({ members, invites }, db, { invite, userId: user.id });
        return openSession(sessions, db, { userId: user.id, workspaceId, state: 'full', hasShownCode: false, client });
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw signInFirst(invite);
      throw error;
    }
  }
}

/** Spends the invitation and adds the member, whose role only rises. @throws AppError not_found, conflict */
export async function join(
  { members, invites }: { readonly members: MemberStore; readonly invites: InviteStore },
  db: pg.PoolClient,
  { invite, userId }: { readonly invite: InviteRecord; readonly userId: string },
): Promise<void> {
  const { workspaceId, role } = invite;
  if (!(await members.lockWorkspace(db, workspaceId)) || !(await invites.accept(db, invite.id))) throw invalidInvite();
  if ((await members.count(db, workspaceId)) >= MAX_MEMBERS)
    throw new AppError('conflict', `a workspace has at most ${MAX_MEMBERS} members`);
  const known = await members.find(workspaceId, userId, db);
  if (known === undefined) await members.add(db, { workspaceId, userId, role });
  else if (!roleIncludes(known.role, role)) await members.setRole(db, { workspaceId, userId, role });
  const detail = { role, invitedBy: invite.invitedBy };
  await writeAudit(db, { workspaceId, actorId: userId, action: 'member.joined', subjectId: userId, detail });
}

const invalidInvite = () =>
  new AppError(
    'not_found',
    'this invitation is invalid, used, revoked or expired; an admin of the workspace sends a new one',
  );
const signInFirst = ({ email }: InviteRecord) =>
  new AppError('unauthorized', `${email} has an account; sign in with it, then accept the invitation`);
