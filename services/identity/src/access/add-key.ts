import { newId, projectLimitOf } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type pg from 'pg';
import { generateSecret, hashSecret } from '../domain/api-key.ts';
import { writeAudit } from '../store/audit-log.ts';
import { type ApiKeyRecord, insertKey, MAX_KEYS, type NewApiKey, unrevokedKeys } from '../store/key-store.ts';

/**
 * Adds a key to a workspace whose row the transaction has locked, with its audit entry. @returns the key and its secret
 * @throws AppError conflict if the workspace has `MAX_KEYS` keys
 */
export async function addKey(
  db: pg.PoolClient,
  key: Omit<NewApiKey, 'id' | 'secretHash' | 'lastFour'>,
): Promise<{ key: ApiKeyRecord; secret: string }> {
  if ((await unrevokedKeys(db, key.workspaceId)) >= MAX_KEYS)
    throw new AppError(
      'conflict',
      `a workspace has at most ${MAX_KEYS} API keys that are not revoked, expired ones included; revoke keys that are not in use`,
    );
  const secret = generateSecret();
  const added = { ...key, id: newId('key'), secretHash: hashSecret(secret), lastFour: secret.slice(-4) };
  await insertKey(db, added);
  const { id: subjectId, workspaceId, createdBy: actorId, name, scopes, access } = added;
  const projects = projectLimitOf(access);
  const detail = { name, scopes, projects: projects === undefined ? 'all' : [...projects] };
  await writeAudit(db, { workspaceId, actorId, action: 'key.created', subjectId, detail });
  const { secretHash: _, ...record } = added;
  return { key: { ...record, revokedAt: null, revokedBy: '', lastUsedAt: null }, secret };
}
