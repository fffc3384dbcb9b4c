import { AppError } from '@tidemark/errors';
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import type { ApiKeyModel, WorkspaceModel } from '../generated/prisma/models.ts';

export type ApiKeyRecord = Omit<ApiKeyModel, 'secretHash'>;
export type WorkspaceRecord = WorkspaceModel;

/** How often a key's last use is written down, at most. */
const TOUCH_EVERY_MS = 10_000;

/** Workspaces and their keys. Every query of a caller is filtered by its workspace. */
export class KeyStore {
  readonly #db: PrismaClient;
  readonly #touched = new Map<string, number>();

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
    return { key, workspace };
  }

  /** Notes that a key was used. Not waited for: a lost note costs nothing. */
  touch(keyId: string, at: Date): void {
    if (at.getTime() - (this.#touched.get(keyId) ?? 0) < TOUCH_EVERY_MS) return;
    if (this.#touched.size > 10_000) this.#touched.clear();
    this.#touched.set(keyId, at.getTime());
    this.#db.apiKey.updateMany({ where: { id: keyId }, data: { lastUsedAt: at } }).catch(() => undefined);
  }

  async create(
    key: Omit<ApiKeyModel, 'revokedAt' | 'lastUsedAt' | 'secretHash'> & { secretHash: Buffer },
  ): Promise<ApiKeyRecord> {
    try {
      return await this.#db.apiKey.create({
        data: { ...key, secretHash: Uint8Array.from(key.secretHash) },
        omit: { secretHash: true },
      });
    } catch (error) {
      if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2003') {
        throw new AppError('not_found', 'workspace not found', { cause: error });
      }
      throw error;
    }
  }

  /** Keys that are not revoked, oldest first. */
  async list(workspaceId: string, cursor: string, limit: number): Promise<ApiKeyRecord[]> {
    return this.#db.apiKey.findMany({
      where: { workspaceId, revokedAt: null, id: { gt: cursor } },
      orderBy: { id: 'asc' },
      take: limit,
      omit: { secretHash: true },
    });
  }

  /** @returns whether there was such a key to revoke */
  async revoke(workspaceId: string, keyId: string, at: Date): Promise<boolean> {
    const { count } = await this.#db.apiKey.updateMany({
      where: { id: keyId, workspaceId, revokedAt: null },
      data: { revokedAt: at },
    });
    return count > 0;
  }

  async findWorkspace(id: string): Promise<WorkspaceRecord | undefined> {
    return (await this.#db.workspace.findUnique({ where: { id } })) ?? undefined;
  }

  /** Makes a workspace, or answers with the one an earlier call with the same key made. */
  async createWorkspace(
    workspace: Pick<WorkspaceRecord, 'id' | 'name' | 'plan' | 'idempotencyKey'>,
  ): Promise<WorkspaceRecord> {
    const { idempotencyKey } = workspace;
    if (idempotencyKey === null) return this.#db.workspace.create({ data: workspace });
    // An upsert here would read and then insert: two at once would collide.
    await this.#db.workspace.createMany({ data: workspace, skipDuplicates: true });
    return this.#db.workspace.findUniqueOrThrow({ where: { idempotencyKey } });
  }

  /** Undefined where there is no such workspace. */
  async setMaxRpm(id: string, maxRpm: number | null): Promise<WorkspaceRecord | undefined> {
    const [workspace] = await this.#db.workspace.updateManyAndReturn({ where: { id }, data: { maxRpm } });
    return workspace;
  }
}
