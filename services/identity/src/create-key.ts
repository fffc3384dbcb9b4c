import { type Caller, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { hashSecret, mintSecret } from './domain/api-key.ts';
import type { ApiKeyRecord, KeyStore } from './store/key-store.ts';

const DAY_MS = 86_400_000;

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly projects: readonly string[];
  readonly expiresInDays: number | undefined;
  readonly rpm: number | undefined;
}

/**
 * Makes a key. A key that sees only some projects can't make one that sees more.
 * @throws AppError forbidden
 */
export function makeCreateKey(deps: { keys: KeyStore; now: () => Date }) {
  return async (caller: Caller, wanted: NewKey): Promise<{ key: ApiKeyRecord; secret: string }> => {
    const wider = wanted.projects.length === 0 || wanted.projects.some((project) => !caller.projects.includes(project));
    if (caller.projects.length > 0 && wider) {
      throw new AppError(
        'forbidden',
        'this key sees only some projects; a key it makes must name projects among those',
      );
    }
    const secret = mintSecret();
    const now = deps.now();
    const key = await deps.keys.create({
      id: newId('key'),
      workspaceId: caller.workspaceId,
      name: wanted.name,
      secretHash: hashSecret(secret),
      lastFour: secret.slice(-4),
      scopes: [...wanted.scopes],
      projects: [...wanted.projects],
      rpm: wanted.rpm ?? null,
      createdAt: now,
      expiresAt: wanted.expiresInDays === undefined ? null : new Date(now.getTime() + wanted.expiresInDays * DAY_MS),
    });
    return { key, secret };
  };
}
