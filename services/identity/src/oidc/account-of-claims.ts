import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { AccountMails } from '../mail/account-mails.ts';
import { writePersonAudit } from '../store/audit-log.ts';
import type { IdentityStore } from '../store/identity-store.ts';
import { isUniqueViolation } from '../store/unique-violation.ts';
import type { UserStore, UserView } from '../store/user-store.ts';
import type { CreateOidcAccount } from './create-oidc-account.ts';
import type { OidcClaims } from './oidc-provider.ts';

export interface ClaimedAccount {
  readonly user: UserView;
  /** Sends a mail or an event about the binding. */
  readonly announce: () => void;
}

/**
 * Returns the account that is bound to the claims; the first sign-in binds the account that has proven the same address, or creates one. An account
 * that only claims the address is never bound: it may be another person's. @throws AppError forbidden, conflict
 */
export type AccountOfClaims = (claims: OidcClaims) => Promise<ClaimedAccount>;

export function makeAccountOfClaims({
  pool,
  users,
  identities,
  mails,
  providerName,
  createAccount,
}: {
  readonly pool: pg.Pool;
  readonly users: UserStore;
  readonly identities: IdentityStore;
  readonly mails: AccountMails;
  readonly providerName: string;
  readonly createAccount: CreateOidcAccount;
}): AccountOfClaims {
  return async (claims) => {
    const bound = await identities.find(claims);
    const user = bound === undefined ? undefined : await users.find(bound);
    if (user !== undefined) return { user, announce: () => undefined };
    if (claims.email === '')
      throw new AppError('forbidden', 'the provider states no verified address; it is required at the first sign-in');
    try {
      return await inTransaction(pool, (db) => bind(db, claims));
    } catch (error) {
      if (isUniqueViolation(error))
        throw new AppError('conflict', 'another sign-in of this person was under way; try again');
      throw error;
    }
  };

  async function bind(db: pg.PoolClient, claims: OidcClaims): Promise<ClaimedAccount> {
    const known = await users.findProven(claims.email, db);
    if (known !== undefined && (await identities.isBound(db, { issuer: claims.issuer, userId: known.id })))
      throw new AppError('forbidden', 'the account of this address belongs to another person at the provider');
    const created = known === undefined ? await createAccount(db, claims) : undefined;
    const userId = known?.id ?? created?.userId ?? '';
    await identities.add(db, { ...claims, userId });
    await writePersonAudit(db, userId, 'provider.linked', { detail: { issuer: claims.issuer } });
    const user = known ?? (await users.find(userId, db));
    if (user === undefined) throw new Error('the account was not created');
    if (created !== undefined) return { user, announce: created.announce };
    return {
      user,
      announce: await mails.write(db, { kind: 'provider_linked', to: user.email, name: user.name, providerName }),
    };
  }
}
