import { newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { AddressState } from '../domain/address-state.ts';
import { LIFETIMES, LIMITS, ofAddress } from '../domain/limits.ts';
import { normalizeEmail } from '../domain/mailbox.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { checkPassword } from '../proofs/password-rules.ts';
import type { Passwords } from '../proofs/passwords.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import { writeAudit } from '../store/audit-log.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import type { SessionClient, SessionStore } from '../store/session-store.ts';
import type { TokenRecord, TokenStore } from '../store/token-store.ts';
import { isUniqueViolation } from '../store/unique-violation.ts';
import type { UserStore } from '../store/user-store.ts';
import type { WelcomeStore } from '../store/welcome-store.ts';
import type { WorkspaceStore } from '../store/workspace-store.ts';
import type { AccountSettings } from './account-settings.ts';
import { type OpenedSession, openSession } from './open-session.ts';

export interface SignUpRequest {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  /** Empty: named after the person. */
  readonly workspaceName: string;
  /** Absent: the account gets a workspace of its own. */
  readonly setupToken?: string | undefined;
  readonly client: SessionClient;
}

/**
 * Creates an account with a session. With a mail host its address is pending until the link of a mail is opened: the account can only read, can
 * not sign in again, and is deleted after a day. An address that a person has proven gets such an account as well, and its owner another mail, so
 * that the response does not reveal it and no owner of a mailbox is locked out. Without a mail host, and for the first owner of a workspace, the
 * address is unproven.
 * @throws AppError forbidden, conflict (without a mail host), validation, rate_limited
 */
export type SignUp = (request: SignUpRequest) => Promise<OpenedSession>;

export function makeSignUp({
  pool,
  users,
  sessions,
  tokens,
  members,
  workspaces,
  welcome,
  attempts,
  passwords,
  mails,
  settings,
  send,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly members: MemberStore;
  readonly workspaces: WorkspaceStore;
  readonly welcome: WelcomeStore;
  readonly attempts: AttemptCounter;
  readonly passwords: Passwords;
  readonly mails: AccountMails;
  readonly settings: AccountSettings;
  readonly send: SendEvents;
}): SignUp {
  return async (request) => {
    const [email, name] = [normalizeEmail(request.email), request.name.trim()];
    await admit(request, attempts, settings);
    const setup = request.setupToken === undefined ? undefined : await tokens.find(request.setupToken);
    if (request.setupToken !== undefined && setup?.kind !== 'setup') throw invalidSetup();
    checkPassword(request.password, { email, name }, settings.passwordMin);
    const passwordHash = await passwords.hash(request.password);
    const address: AddressState = mails.isOn && setup === undefined ? 'pending' : 'unproven';
    try {
      return await inTransaction(pool, (client) =>
        create(client, { request, setup, user: { id: newId('usr'), email, name, passwordHash, address } }),
      ).then(({ session, afterCommit }) => {
        afterCommit();
        return session;
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw taken();
      throw error;
    }
  };

  async function create(db: pg.PoolClient, { request, setup, user }: Creation) {
    const [known] = await users.accountsOf(user.email, db);
    if (known !== undefined && user.address === 'unproven') throw taken();
    await users.create(db, user);
    const workspaceId =
      request.setupToken === undefined
        ? newId('ws')
        : await claimWorkspace({ tokens, members }, db, request.setupToken);
    if (setup === undefined) {
      const named = request.workspaceName.trim() || `${user.name}’s workspace`;
      await workspaces.create(db, { id: workspaceId, name: named.slice(0, 100), plan: settings.defaultPlan });
    }
    await members.add(db, { workspaceId, userId: user.id, role: 'owner' });
    await writeAudit(db, {
      workspaceId,
      actorId: user.id,
      action: 'member.joined',
      subjectId: user.id,
      detail: { role: 'owner' },
    });
    const session = await openSession(sessions, db, {
      userId: user.id,
      workspaceId,
      state: 'full',
      hasShownCode: false,
      client: request.client,
    });
    const outgoing =
      user.address === 'unproven' ? await welcome.grant(db, { userId: user.id, email: user.email, workspaceId }) : [];
    const sendMail = mails.isOn ? await writeVerification(db, user) : () => undefined;
    const afterCommit = (): void => {
      send(outgoing);
      sendMail();
    };
    return { session, afterCommit };
  }

  /** For an address that another person has proven the token is made too, and is not sent: the same work in both cases. */
  async function writeVerification(db: pg.PoolClient, { id, email, name }: Creation['user']): Promise<() => void> {
    const proven = await users.findProven(email, db);
    const token = await tokens.create(db, { kind: 'verify', userId: id, email, seconds: LIFETIMES.verify });
    return mails.write(
      db,
      proven === undefined
        ? { kind: 'verify', to: email, name, token }
        : { kind: 'taken', to: email, name: proven.name },
    );
  }
}

/** Spends a setup token. @returns the workspace, which has no owner yet */
async function claimWorkspace(
  { tokens, members }: { readonly tokens: TokenStore; readonly members: MemberStore },
  db: pg.PoolClient,
  setupToken: string,
): Promise<string> {
  const workspaceId = (await tokens.spend(db, setupToken, ['setup']))?.workspaceId;
  if (workspaceId === undefined || workspaceId === null) throw invalidSetup();
  await members.lockWorkspace(db, workspaceId);
  if ((await members.count(db, workspaceId, 'owner')) > 0) throw invalidSetup();
  return workspaceId;
}

interface Creation {
  readonly request: SignUpRequest;
  readonly setup: TokenRecord | undefined;
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly passwordHash: string;
    readonly address: AddressState;
  };
}

async function admit(
  { setupToken, client }: SignUpRequest,
  attempts: AttemptCounter,
  { signUp }: AccountSettings,
): Promise<void> {
  if (setupToken !== undefined) return void (await attempts.take(ofAddress(LIMITS.tokensOfAddress, client.ip)));
  if (signUp !== 'open')
    throw new AppError(
      'forbidden',
      signUp === 'invite'
        ? 'sign-up requires an invitation on this installation; admins of workspaces send them'
        : 'sign-up is closed on this installation',
    );
  await attempts.take(ofAddress(LIMITS.signUpOfAddress, client.ip));
}

const taken = () => new AppError('conflict', 'this address has an account; sign in, or reset the password');
const invalidSetup = () =>
  new AppError(
    'not_found',
    'this setup link is invalid, used or expired; the next start of the fleet prints a new one',
  );
