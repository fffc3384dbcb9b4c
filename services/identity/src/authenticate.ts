import { AppError } from '@tidemark/errors';
import { hashSecret, isWellFormed } from './domain/api-key.ts';
import type { ApiKeyRecord, KeyStore, WorkspaceRecord } from './store/key-store.ts';

/** The message is the same for every cause, so that it does not reveal whether a key exists. */
const refusal = () =>
  new AppError(
    'unauthorized',
    'this API key is not valid: it is unknown, revoked or expired. Send `Authorization: Bearer service_…` with a key from POST /v1/me/keys',
  );

/** Returns the key with this secret and the key's workspace. @throws AppError unauthorized */
export type Authenticate = (secret: string) => Promise<{ key: ApiKeyRecord; workspace: WorkspaceRecord }>;

export function makeAuthenticate(deps: { keys: KeyStore; now: () => Date }): Authenticate {
  return async (secret) => {
    if (!isWellFormed(secret)) throw refusal();
    const found = await deps.keys.findBySecret(hashSecret(secret));
    if (found === undefined) throw refusal();
    const { key, workspace } = found;
    const now = deps.now();
    if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) throw refusal();
    deps.keys.recordUse(key.id, now);
    return { key, workspace };
  };
}
