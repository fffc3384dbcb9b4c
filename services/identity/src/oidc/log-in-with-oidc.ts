import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { signInMail } from '../accounts/log-in.ts';
import { type OpenedSession, openSession } from '../accounts/open-session.ts';
import { LIFETIMES, LIMITS, ofAddress } from '../domain/limits.ts';
import { normalizeEmail } from '../domain/mailbox.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import type { SessionClient, SessionStore } from '../store/session-store.ts';
import type { TokenStore } from '../store/token-store.ts';
import type { AccountOfClaims } from './account-of-claims.ts';
import type { ApplyGroups } from './apply-groups.ts';
import type { OidcClaims, OidcProvider, OidcReturn } from './oidc-provider.ts';

export interface OidcLogIn extends OidcReturn {
  /** Secret of the browser that started the sign-in. */
  readonly binding: string;
  readonly client: SessionClient;
}

/** Starts a sign-in. @returns the address of the provider, and the secret that the browser keeps. @throws AppError conflict, rate_limited */
export type StartOidc = (
  request: Pick<OidcLogIn, 'redirectUri' | 'client'>,
) => Promise<{ readonly binding: string; readonly url: string }>;

export function makeStartOidc({
  pool,
  tokens,
  attempts,
  provider,
}: {
  readonly pool: pg.Pool;
  readonly tokens: TokenStore;
  readonly attempts: AttemptCounter;
  /** undefined: none is configured. */
  readonly provider: OidcProvider | undefined;
}): StartOidc {
  return async ({ redirectUri, client }) => {
    const configured = requireProvider(provider);
    await attempts.take(ofAddress(LIMITS.challengesOfAddress, client.ip));
    const binding = await tokens.create(pool, { kind: 'oidc', email: '', seconds: LIFETIMES.oidc });
    return { binding, url: await configured.authorizationUrl(binding, redirectUri) };
  };
}

/**
 * Opens a session for the person that the provider states. The account is bound to issuer and subject; the first sign-in binds the account of
 * the same proven address, if the provider has verified it, or creates one as the sign-up policy allows. Its groups give and end memberships. A second
 * factor is still required.
 * @throws AppError unauthorized, forbidden, conflict, rate_limited
 */
export type LogInWithOidc = (request: OidcLogIn) => Promise<OpenedSession>;

export function makeLogInWithOidc({
  pool,
  sessions,
  tokens,
  attempts,
  mails,
  provider,
  accountOf,
  applyGroups,
}: {
  readonly pool: pg.Pool;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly attempts: AttemptCounter;
  readonly mails: AccountMails;
  /** undefined: none is configured. */
  readonly provider: OidcProvider | undefined;
  readonly accountOf: AccountOfClaims;
  readonly applyGroups: ApplyGroups;
}): LogInWithOidc {
  return async ({ binding, redirectUri, query, client }) => {
    const configured = requireProvider(provider);
    const takeBack = await attempts.take(ofAddress(LIMITS.loginOfAddress, client.ip));
    const isOwn = (await tokens.spend(pool, binding, ['oidc'])) !== undefined;
    const claims = isOwn ? await configured.claimsOf(binding, { redirectUri, query }) : undefined;
    if (claims === undefined) throw refusal(configured);
    const email = checkedEmail(claims, configured);
    await takeBack();
    const { user, announce } = await accountOf({ ...claims, email });
    if (user.isDisabled) throw refusal(configured);
    await applyGroups(user.id, claims.groups);
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

function requireProvider(provider: OidcProvider | undefined): OidcProvider {
  if (provider === undefined) throw new AppError('conflict', 'this installation has no sign-in provider (OIDC_ISSUER)');
  return provider;
}

const refusal = ({ settings }: OidcProvider) =>
  new AppError('unauthorized', `the sign-in with ${settings.name} was not completed; start it again`);
