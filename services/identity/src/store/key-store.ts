import { ALL_PROJECTS, onlyProjects, type ProjectAccess, projectLimitOf } from '@tidemark/contracts';
import { changeRows, selectRow, selectRows, sql } from '@tidemark/sql';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ApiKeyModel, WorkspaceModel } from '../generated/prisma/models.ts';
import type { Queryable } from './queryable.ts';
import { tables } from './tables.ts';

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

/** Reads workspaces and their keys. Every query made for a caller is filtered by the caller's workspace. */
export class KeyStore {
  readonly #db: PrismaClient;
  readonly #writtenAt = new Map<string, number>();

  constructor(db: PrismaClient) {
    this.#db = db;
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

  /** Returns up to `limit` keys after `cursor` that are not revoked, oldest first. */
  async list(workspaceId: string, cursor: string | undefined, limit: number): Promise<ApiKeyRecord[]> {
    const found = await this.#db.apiKey.findMany({
      where: { workspaceId, revokedAt: null, ...(cursor === undefined ? {} : { id: { gt: cursor } }) },
      orderBy: { id: 'asc' },
      take: limit,
      omit: { secretHash: true },
    });
    return found.map(toRecord);
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

/** Returns the number of keys of a workspace that are not revoked. */
export async function unrevokedKeys(db: Queryable, workspaceId: string): Promise<number> {
  const row = await selectRow(
    db,
    tables
      .selectFrom('api_keys')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('workspace_id', '=', workspaceId)
      .where('revoked_at', 'is', null),
  );
  return row?.count ?? 0;
}

export async function insertKey(db: Queryable, { access, ...key }: NewApiKey): Promise<void> {
  const projects = projectLimitOf(access);
  await changeRows(
    db,
    tables.insertInto('api_keys').values({
      id: key.id,
      workspace_id: key.workspaceId,
      name: key.name,
      secret_hash: key.secretHash,
      last_four: key.lastFour,
      scopes: key.scopes,
      all_projects: projects === undefined,
      projects: [...(projects ?? [])],
      rpm: key.rpm,
      created_by: key.createdBy,
      is_grant: key.isGrant,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
    }),
  );
}

/** Returns the oldest grants of a person in a workspace, so many that `MAX_GRANTS - 1` remain and a new one fits. */
export async function oldestGrants(
  db: Queryable,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
): Promise<string[]> {
  const old = await selectRows(
    db,
    tables
      .selectFrom('api_keys')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('created_by', '=', userId)
      .where('is_grant', '=', true)
      .where('revoked_at', 'is', null)
      .orderBy('id', 'desc')
      .offset(MAX_GRANTS - 1)
      .limit(MAX_KEYS),
  );
  return old.map(({ id }) => id);
}
