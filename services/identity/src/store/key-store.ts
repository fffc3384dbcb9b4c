import { ALL_PROJECTS, newId, onlyProjects, type ProjectAccess, projectLimitOf } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { type Outbox, outboxRows } from '@tidemark/service';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ApiKeyModel, WorkspaceModel } from '../generated/prisma/models.ts';
import { accessRemoved } from './access-removed.ts';

/** A key without its secret. */
export type ApiKeyRecord = Omit<ApiKeyModel, 'secretHash' | 'allProjects' | 'projects'> & {
  readonly access: ProjectAccess;
};
/** A key to create. */
export type NewApiKey = Omit<ApiKeyRecord, 'revokedAt' | 'revokedBy' | 'lastUsedAt'> & { readonly secretHash: Buffer };
export type WorkspaceRecord = WorkspaceModel;

/** Maximum number of keys of a workspace that are not revoked. Expired keys count, so that the list of keys is bounded. */
export const MAX_KEYS = 1_000;

/** Access tokens of applications that a person has in a workspace; the oldest are revoked, so that grants do not use up the keys. */
const MAX_GRANTS = 20;

/** Minimum interval between two writes of a key's `last_used_at`, ms. */
const USE_WRITE_INTERVAL_MS = 10_000;

/** Stores workspaces and their keys. Every query made for a caller is filtered by the caller's workspace. */
export class KeyStore {
  readonly #db: PrismaClient;
  readonly #outbox: Pick<Outbox, 'send'>;
  readonly #writtenAt = new Map<string, number>();

  constructor(db: PrismaClient, outbox: Pick<Outbox, 'send'>) {
    this.#db = db;
    this.#outbox = outbox;
  }

  async findBySecret(secretHash: Buffer): Promise<{ key: ApiKeyRecord; workspace: WorkspaceRecord } | undefined> {
    const found = await this.#db.apiKey.findUnique({
      where: { secretHash: Uint8Array.from(secretHash) },
      include: { workspace: true },
      omit: { secretHash: true },
    });
    if (found === null) return undefined;
    const { workspace, ...key } = found;
    return { key: toRecord(key), workspace };
  }

  /** Writes the time of a key's last use in the background. A failed write is ignored: the next use writes again. */
  recordUse(keyId: string, at: Date): void {
    if (at.getTime() - (this.#writtenAt.get(keyId) ?? 0) < USE_WRITE_INTERVAL_MS) return;
    if (this.#writtenAt.size > 10_000) this.#writtenAt.clear();
    this.#writtenAt.set(keyId, at.getTime());
    this.#db.apiKey.updateMany({ where: { id: keyId }, data: { lastUsedAt: at } }).catch(() => undefined);
  }

  /** Creates a key. @returns undefined if the workspace has `MAX_KEYS` keys. @throws AppError not_found without the workspace */
  async create({ access, secretHash, ...key }: NewApiKey): Promise<ApiKeyRecord | undefined> {
    const { workspaceId } = key;
    const projects = projectLimitOf(access);
    return this.#db.$transaction(async (tx) => {
      // The lock on the workspace row prevents concurrent calls from exceeding the limit.
      const [workspace] = await tx.$queryRaw<unknown[]>`SELECT 1 FROM workspaces WHERE id = ${workspaceId} FOR UPDATE`;
      if (workspace === undefined) throw new AppError('not_found', 'workspace not found');
      if (key.isGrant) await revokeOldGrants(tx, key);
      if ((await tx.apiKey.count({ where: { workspaceId, revokedAt: null } })) >= MAX_KEYS) return undefined;
      const created = await tx.apiKey.create({
        data: {
          ...key,
          allProjects: projects === undefined,
          projects: [...(projects ?? [])],
          secretHash: Uint8Array.from(secretHash),
        },
        omit: { secretHash: true },
      });
      const { id: subjectId, name, scopes, createdBy: actorId } = created;
      const detail = { name, scopes, projects: projects === undefined ? 'all' : [...projects] };
      await tx.auditEntry.create({
        data: { id: newId('aud'), workspaceId, actorId, action: 'key.created', subjectId, detail },
      });
      return toRecord(created);
    });
  }

  /** Returns a key of the workspace that is neither revoked nor expired. */
  async findActive(workspaceId: string, id: string, at: Date): Promise<ApiKeyRecord | undefined> {
    const isCurrent = { OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] };
    const where = { id, workspaceId, revokedAt: null, ...isCurrent };
    const found = await this.#db.apiKey.findFirst({ where, omit: { secretHash: true } });
    return found === null ? undefined : toRecord(found);
  }

  /** Returns up to `limit` keys after `cursor` that are not revoked, oldest first. */
  async list(workspaceId: string, cursor: string, limit: number): Promise<ApiKeyRecord[]> {
    const found = await this.#db.apiKey.findMany({
      where: { workspaceId, revokedAt: null, id: { gt: cursor } },
      orderBy: { id: 'asc' },
      take: limit,
      omit: { secretHash: true },
    });
    return found.map(toRecord);
  }

  /** Revokes a key. @returns false if the workspace has no such key or it is already revoked */
  async revoke(
    workspaceId: string,
    keyId: string,
    { at, by }: { readonly at: Date; readonly by: string },
  ): Promise<boolean> {
    const removed = accessRemoved(workspaceId, [keyId], at);
    const isRevoked = await this.#db.$transaction(async (tx) => {
      const { count } = await tx.apiKey.updateMany({
        where: { id: keyId, workspaceId, revokedAt: null },
        data: { revokedAt: at, revokedBy: by },
      });
      if (count === 0) return false;
      await tx.auditEntry.create({
        data: { id: newId('aud'), workspaceId, actorId: by, action: 'key.revoked', subjectId: keyId },
      });
      await tx.outbox.createMany({ data: outboxRows(removed) });
      return true;
    });
    if (isRevoked) this.#outbox.send(removed);
    return isRevoked;
  }

  async findWorkspace(id: string): Promise<WorkspaceRecord | undefined> {
    return (await this.#db.workspace.findUnique({ where: { id } })) ?? undefined;
  }

  /** Creates a workspace, or returns the workspace that an earlier call with the same idempotency key created. */
  async createWorkspace(
    workspace: Pick<WorkspaceRecord, 'id' | 'name' | 'plan' | 'idempotencyKey'>,
  ): Promise<WorkspaceRecord> {
    const { idempotencyKey } = workspace;
    // The operator gives every workspace the welcome credits of its plan.
    const data = { ...workspace, welcomeOf: 'operator' };
    if (idempotencyKey === null) return this.#db.workspace.create({ data });
    // Prisma's upsert reads and then inserts, so two concurrent calls could violate the unique index.
    await this.#db.workspace.createMany({ data, skipDuplicates: true });
    return this.#db.workspace.findUniqueOrThrow({ where: { idempotencyKey } });
  }
}

const toRecord = ({ allProjects, projects, ...key }: Omit<ApiKeyModel, 'secretHash'>): ApiKeyRecord => ({
  ...key,
  access: allProjects ? ALL_PROJECTS : onlyProjects(projects),
});

/** Revokes the oldest grants of a person, so that a new one fits. */
async function revokeOldGrants(
  tx: Pick<PrismaClient, 'apiKey' | 'auditEntry' | 'outbox'>,
  { workspaceId, createdBy, createdAt }: Pick<ApiKeyModel, 'workspaceId' | 'createdBy' | 'createdAt'>,
): Promise<void> {
  const old = await tx.apiKey.findMany({
    where: { workspaceId, createdBy, isGrant: true, revokedAt: null },
    orderBy: { id: 'desc' },
    skip: MAX_GRANTS - 1,
    select: { id: true },
  });
  if (old.length === 0) return;
  const ids = old.map(({ id }) => id);
  await tx.apiKey.updateMany({ where: { id: { in: ids } }, data: { revokedAt: createdAt, revokedBy: createdBy } });
  const entry = { workspaceId, actorId: createdBy, action: 'key.revoked' };
  await tx.auditEntry.createMany({ data: ids.map((subjectId) => ({ ...entry, id: newId('aud'), subjectId })) });
  await tx.outbox.createMany({ data: outboxRows(accessRemoved(workspaceId, ids, createdAt)) });
}
