import { newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { type AccountParts, isUniqueViolation, normalizeEmail } from '../accounts/account-parts.ts';
import { signInMail } from '../accounts/log-in.ts';
import { join } from '../accounts/manage-invites.ts';
import { type OpenedSession, openSession } from '../accounts/open-session.ts';
import { LIFETIMES, LIMITS, ofAddress } from '../domain/limits.ts';
import { writeAudit, writePersonAudit } from '../store/audit-log.ts';
import type { IdentityStore } from '../store/identity-store.ts';
import type { SessionClient } from '../store/session-store.ts';
import type { UserView } from '../store/user-store.ts';
import type { OidcClaims, OidcProvider, OidcReturn } from './oidc-provider.ts';

/** The parts that the sign-in through a provider is built from. */
export interface OidcParts extends AccountParts {
  readonly identities: IdentityStore;
  /** undefined: none is configured. */
  readonly provider: OidcProvider | undefined;
}

export interface OidcLogIn extends OidcReturn {
  /** Secret of the browser that started the sign-in. */
  readonly binding: string;
  readonly client: SessionClient;
}

/** Starts a sign-in. @returns the address of the provider, and the secret that the browser keeps. @throws AppError conflict, rate_limited */
export function makeStartOidc({ pool, tokens, attempts, provider }: OidcParts) {
  return async ({ redirectUri, client }: Pick<OidcLogIn, 'redirectUri' | 'client'>) => {
    const configured = requireProvider(provider);
    await attempts.take(ofAddress(LIMITS.challengesOfAddress, client.ip));
    const binding = await tokens.create(pool, { kind: 'oidc', email: '', seconds: LIFETIMES.oidc });
    return { binding, url: await configured.authorizationUrl(binding, redirectUri) };
  };
}

/**
 * Opens a session for the person that the provider states. The account is bound to issuer and subject; the first sign-in binds the account of
 * the same address, if the provider has verified it, or creates one as the sign-up policy allows. A second factor is still required.
 * @throws AppError unauthorized, forbidden, conflict, rate_limited
 */
export function makeLogInWithOidc(parts: OidcParts) {
  const { pool, sessions, tokens, attempts, mails, provider } = parts;
  return async ({ binding, redirectUri, query, client }: OidcLogIn): Promise<OpenedSession> => {
    const configured = requireProvider(provider);
    const takeBack = await attempts.take(ofAddress(LIMITS.loginOfAddress, client.ip));
    const isOwn = (await tokens.spend(pool, binding, ['oidc'])) !== undefined;
    const claims = isOwn ? await configured.claimsOf(binding, { redirectUri, query }) : undefined;
    if (claims === undefined) throw refusal(configured);
    const email = checkedEmail(claims, configured);
    await takeBack();
    const { user, announce } = await account(parts, { ...claims, email });
    if (user.isDisabled) throw refusal(configured);
    const known = await sessions.knows(user.id, client);
    const state = user.hasFactor ? 'half' : 'full';
    const workspaceId = await sessions.lastWorkspace(user.id);
    const { session, send } = await inTransaction(pool, async (db) => {
      const opened = await openSession(sessions, db, {
        userId: user.id,
        workspaceId,
        state,
        hasShownCode: false,
        client,
      });
      const isNew = state === 'full' && !known.ip && !known.userAgent;
      return { session: opened, send: isNew ? await mails.write(db, signInMail(user, client)) : () => undefined };
    });
    announce();
    send();
    return session;
  };
}

/** Returns the address in lower case; empty if it is not verified. @throws AppError forbidden for a domain that is not allowed */
function checkedEmail({ email, isEmailVerified }: OidcClaims, { settings }: OidcProvider): string {
  const verified = isEmailVerified ? normalizeEmail(email) : '';
  const domain = verified.split('@').at(-1) ?? '';
  if (settings.allowedDomains.length > 0 && !settings.allowedDomains.includes(domain))
    throw new AppError(
      'forbidden',
      `${settings.name} signs in people with a verified address of ${settings.allowedDomains.join(', ')} only`,
    );
  return verified;
}

interface Account {
  readonly user: UserView;
  /** Sends a mail about the binding. */
  readonly announce: () => void;
}

/** Returns the account that is bound to the claims; binds or creates one at the first sign-in. */
async function account(parts: OidcParts, claims: OidcClaims): Promise<Account> {
  const { pool, users, identities } = parts;
  const bound = await identities.find(claims);
  const user = bound === undefined ? undefined : await users.find(bound);
  if (user !== undefined) return { user, announce: () => undefined };
  if (claims.email === '')
    throw new AppError('forbidden', 'the provider states no verified address; it is required at the first sign-in');
  try {
    return await inTransaction(pool, (db) => bind(parts, db, claims));
  } catch (error) {
    if (isUniqueViolation(error))
      throw new AppError('conflict', 'another sign-in of this person was under way; try again');
    throw error;
  }
}

async function bind(parts: OidcParts, db: pg.PoolClient, claims: OidcClaims): Promise<Account> {
  const { users, identities, mails } = parts;
  const known = await users.findByEmail(claims.email, db);
  if (known !== undefined && (await identities.isBound(db, { issuer: claims.issuer, userId: known.id })))
    throw new AppError('forbidden', 'the account of this address belongs to another person at the provider');
  const created = known === undefined ? await create(parts, db, claims) : undefined;
  const userId = known?.id ?? created?.userId ?? '';
  await identities.add(db, { ...claims, userId });
  await writePersonAudit(db, userId, 'provider.linked', { detail: { issuer: claims.issuer } });
  const user = known ?? (await users.find(userId, db));
  if (user === undefined) throw new Error('the account was not created');
  if (created !== undefined) return { user, announce: created.announce };
  const providerName = parts.provider?.settings.name ?? '';
  return {
    user,
    announce: await mails.write(db, { kind: 'provider_linked', to: user.email, name: user.name, providerName }),
  };
}

/** Creates an account without a password: with the invitations of its address, otherwise with a workspace of its own where sign-up is open. */
async function create(
  parts: OidcParts,
  db: pg.PoolClient,
  { email, name }: OidcClaims,
): Promise<{ readonly userId: string; readonly announce: () => void }> {
  const { users, members, invites, workspaces, welcome, send, settings } = parts;
  const invitations = settings.signUp === 'closed' ? [] : await invites.listOfAddress(email);
  if (invitations.length === 0 && settings.signUp !== 'open')
    throw new AppError('forbidden', `there is no account for ${email}; an admin of a workspace invites it first`);
  const userId = newId('usr');
  const shown = name.trim().slice(0, 100) || email;
  await users.create(db, { id: userId, email, name: shown, passwordHash: null, isVerified: true });
  for (const invite of invitations) await join(parts, db, { invite, userId });
  if (invitations.length > 0) return { userId, announce: () => undefined };
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
}

function requireProvider(provider: OidcProvider | undefined): OidcProvider {
  if (provider === undefined) throw new AppError('conflict', 'this installation has no sign-in provider (OIDC_ISSUER)');
  return provider;
}

const refusal = ({ settings }: OidcProvider) =>
  new AppError('unauthorized', `the sign-in with ${settings.name} was not completed; start it again`);
