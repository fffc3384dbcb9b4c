import { makeAddPasskey, makeStartPasskey } from './add-passkey.ts';
import { makeRemovePasskey, makeRenamePasskey } from './manage-passkeys.ts';
import type { PasskeyParts } from './passkey-parts.ts';
import { makeCheckPasskey, makeLogInWithPasskey, makeStartPasskeyCheck, makeStartPasskeyLogIn } from './use-passkey.ts';

export type Passkeys = ReturnType<typeof openPasskeys>;

/** Builds the use cases of passkeys. */
export const openPasskeys = (parts: PasskeyParts) => ({
  start: makeStartPasskey(parts),
  add: makeAddPasskey(parts),
  list: (userId: string) => parts.passkeys.list(userId),
  rename: makeRenamePasskey(parts),
  remove: makeRemovePasskey(parts),
  startCheck: makeStartPasskeyCheck(parts),
  check: makeCheckPasskey(parts),
  startLogIn: makeStartPasskeyLogIn(parts),
  logIn: makeLogInWithPasskey(parts),
});
