import { AppError, messageOf } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type pg from 'pg';
import type { TokenKind, TokenStore } from '../store/token-store.ts';
import type { SpendChallenge } from './webauthn.ts';

/** Returns the function that spends a challenge: once, for its purpose and for the person it was issued to (null: for a sign-in). */
export const spender =
  (
    { pool, tokens }: { readonly pool: pg.Pool; readonly tokens: TokenStore },
    kind: TokenKind,
    userId: string | null,
  ): SpendChallenge =>
  async (challenge) => {
    const token = await tokens.spend(pool, challenge, [kind]);
    return token !== undefined && token.userId === userId;
  };

/** Returns the result of a verification; undefined if it failed, which is logged with its reason. */
export async function verified<T>(log: Logger, verification: Promise<T>): Promise<T | undefined> {
  try {
    return await verification;
  } catch (error) {
    // A response of the database or the bus that failed is no wrong passkey.
    if (error instanceof AppError || (typeof error === 'object' && error !== null && 'code' in error)) throw error;
    log.info({ reason: messageOf(error).slice(0, 300) }, 'passkey refused');
    return undefined;
  }
}

/** One message for every reason: which one it was is in the log. */
export const refusedPasskey = (): AppError =>
  new AppError(
    'validation',
    'the passkey was not accepted: it is unknown, of another address of this installation, or its request has expired; try again',
    { httpStatus: 400 },
  );
