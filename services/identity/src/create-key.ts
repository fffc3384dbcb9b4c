import { type Caller, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { generateSecret, hashSecret } from './domain/api-key.ts';
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
 * Creates a key and returns it with its secret. A key restricted to projects can only create keys restricted to those projects.
 * @throws AppError forbidden
 */
export function makeCreateKey(deps: { keys: KeyStore; now: () => Date }) {
  return async (caller: Caller, request: NewKey): Promise<{ key: ApiKeyRecord; secret: string }> => {
    if (caller.projects.length > 0 && !isSubset(request.projects, caller.projects)) {
      throw new AppError(
        'forbidden',
        'this key is restricted to projects; a key it creates must be restricted to one or more of them',
      );
    }
    const secret = generateSecret();
    const now = deps.now();
    const key = await deps.keys.create({
      id: newId('key'),
      workspaceId: caller.workspaceId,
      name: request.name,
      secretHash: hashSecret(secret),
      lastFour: secret.slice(-4),
      scopes: [...request.scopes],
      projects: [...request.projects],
      rpm: request.rpm ?? null,
      createdAt: now,
      expiresAt: request.expiresInDays === undefined ? null : new Date(now.getTime() + request.expiresInDays * DAY_MS),
    });
    return { key, secret };
  };
}

/** An empty `requested` means all projects, so it is never a subset. */
const isSubset = (requested: readonly string[], allowed: readonly string[]): boolean =>
  requested.length > 0 && requested.every((project) => allowed.includes(project));
