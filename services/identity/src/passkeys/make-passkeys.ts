import type { Logger } from '@tidemark/service';
import type pg from 'pg';
import type { CheckPasskey } from '../accounts/check-code.ts';
import type { CheckOwnPassword } from '../accounts/reset-password.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { AttemptCounter } from '../store/attempt-counter.ts';
import type { FactorStore } from '../store/factor-store.ts';
import { type PasskeyRecord, PasskeyStore } from '../store/passkey-store.ts';
import { SessionStore } from '../store/session-store.ts';
import { TokenStore } from '../store/token-store.ts';
import { UserStore } from '../store/user-store.ts';
import { type AddPasskey, makeAddPasskey, makeStartPasskey, type StartPasskey } from './add-passkey.ts';
import { makeRemovePasskey, makeRenamePasskey, type RemovePasskey, type RenamePasskey } from './manage-passkeys.ts';
import {
  type LogInWithPasskey,
  makeCheckPasskey,
  makeLogInWithPasskey,
  makeStartPasskeyCheck,
  makeStartPasskeyLogIn,
  type StartPasskeyCheck,
  type StartPasskeyLogIn,
} from './use-passkey.ts';
import { WebAuthn } from './webauthn.ts';

/** The use cases of passkeys. */
export interface Passkeys {
  readonly start: StartPasskey;
  readonly add: AddPasskey;
  readonly list: (userId: string) => Promise<PasskeyRecord[]>;
  readonly rename: RenamePasskey;
  readonly remove: RemovePasskey;
  readonly startCheck: StartPasskeyCheck;
  readonly check: CheckPasskey;
  readonly startLogIn: StartPasskeyLogIn;
  readonly logIn: LogInWithPasskey;
}

/** Makes the use cases of passkeys with their stores. */
export function makePasskeys({
  pool,
  factors,
  mails,
  checkOwnPassword,
  log,
}: {
  readonly pool: pg.Pool;
  readonly factors: FactorStore;
  readonly mails: AccountMails;
  readonly checkOwnPassword: CheckOwnPassword;
  readonly log: Logger;
}): Passkeys {
  const users = new UserStore(pool);
  const sessions = new SessionStore(pool);
  const passkeys = new PasskeyStore(pool);
  const tokens = new TokenStore(pool);
  const attempts = new AttemptCounter(pool);
  const webauthn = new WebAuthn();
  const verifier = { pool, passkeys, tokens, webauthn, log };
  return {
    start: makeStartPasskey({ pool, users, passkeys, tokens, webauthn, checkOwnPassword }),
    add: makeAddPasskey({ pool, users, sessions, factors, passkeys, tokens, mails, webauthn, log }),
    list: (userId) => passkeys.list(userId),
    rename: makeRenamePasskey({ passkeys }),
    remove: makeRemovePasskey({ pool, users, passkeys, factors, sessions, mails }),
    startCheck: makeStartPasskeyCheck({ pool, passkeys, tokens, webauthn }),
    check: makeCheckPasskey(verifier),
    startLogIn: makeStartPasskeyLogIn({ pool, attempts, tokens, webauthn }),
    logIn: makeLogInWithPasskey({ users, sessions, attempts, mails, verifier }),
  };
}
