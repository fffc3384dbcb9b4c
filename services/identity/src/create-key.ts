import {
  actorOf,
  type Caller,
  highestScope,
  newId,
  ownWorkspaceOf,
  type ProjectAccess,
  scopeIncludes,
} from '@tidemark/contracts';
import { AppError, type FieldFault } from '@tidemark/errors';
import { generateSecret, hashSecret } from './domain/api-key.ts';
import { refuseRestrictedKey } from './refuse-restricted-key.ts';
import { type ApiKeyRecord, type KeyStore, MAX_KEYS } from './store/key-store.ts';

const DAY_MS = 86_400_000;

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly access: ProjectAccess;
  readonly expiresInDays: number | undefined;
  readonly rpm: number | undefined;
}

/** The rights of the key that creates a key. */
type Maker = Pick<ApiKeyRecord, 'scopes' | 'rpm' | 'expiresAt'>;

/**
 * Creates a key and returns it with its secret. A key has at most the scope, expiry and rate limit of the key that creates it, and a
 * workspace has at most `MAX_KEYS` keys that are not revoked. A person or a program creates keys up to the own scope; the operator has no
 * limits.
 * @throws AppError forbidden, conflict, unauthorized, not_found
 */
export type CreateKey = (caller: Caller, request: NewKey) => Promise<{ key: ApiKeyRecord; secret: string }>;

export function makeCreateKey(deps: { keys: KeyStore; now: () => Date }): CreateKey {
  return async (caller, request) => {
    refuseRestrictedKey(caller);
    const now = deps.now();
    const expiresAt =
      request.expiresInDays === undefined ? null : new Date(now.getTime() + request.expiresInDays * DAY_MS);
    if (caller.kind === 'person' || caller.kind === 'program')
      refuseExcess(
        { scopes: [caller.scope], rpm: null, expiresAt: null },
        { scopes: [...request.scopes], rpm: null, expiresAt },
      );
    if (caller.kind === 'key') {
      const maker = await deps.keys.findActive(ownWorkspaceOf(caller), caller.keyId, now);
      if (maker === undefined)
        throw new AppError('unauthorized', 'the key of this request was revoked or has expired; use another key');
      refuseExcess(maker, { scopes: [...request.scopes], rpm: request.rpm ?? null, expiresAt });
    }
    const secret = generateSecret();
    const key = await deps.keys.create({
      id: newId('key'),
      workspaceId: caller.workspaceId,
      name: request.name,
      secretHash: hashSecret(secret),
      lastFour: secret.slice(-4),
      scopes: [...request.scopes],
      access: request.access,
      rpm: request.rpm ?? null,
      createdBy: actorOf(caller),
      isGrant: false,
      createdAt: now,
      expiresAt,
    });
    if (key === undefined)
      throw new AppError(
        'conflict',
        `a workspace has at most ${MAX_KEYS} API keys that are not revoked, expired ones included; revoke keys that are not in use`,
      );
    return { key, secret };
  };
}

/** @throws AppError forbidden naming every field of the new key that exceeds its maker */
function refuseExcess(maker: Maker, key: Maker): void {
  const faults: FieldFault[] = [];
  const fault = (field: string, msg: string) => faults.push({ loc: ['body', field], msg, type: 'exceeds_own_key' });
  const own = highestScope(maker.scopes);
  if (!scopeIncludes(own, highestScope(key.scopes)))
    fault('scopes', `this key has the scope ${own}; expected at most that`);
  if (maker.rpm !== null && (key.rpm === null || key.rpm > maker.rpm))
    fault('rpm', `this key is limited to ${maker.rpm} requests per minute; expected 1 to ${maker.rpm}`);
  if (maker.expiresAt !== null && (key.expiresAt === null || key.expiresAt > maker.expiresAt))
    fault('expires_in_days', `this key expires at ${maker.expiresAt.toISOString()}; expected an earlier expiry`);
  if (faults.length === 0) return;
  throw new AppError('forbidden', faults.map(({ loc, msg }) => `${loc[1]}: ${msg}`).join('; '), { detail: faults });
}
