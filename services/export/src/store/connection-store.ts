import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { z } from 'zod';
import type { Connection, ConnectionTest, Values } from '../domain/connection.ts';

const Config = z.record(z.string(), z.string());

interface ConnectionRow {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly config: unknown;
  readonly secrets_set: readonly string[];
  readonly test_ok: boolean | null;
  readonly test_reason: string;
  readonly test_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

interface SealedRow extends ConnectionRow {
  readonly secrets: Uint8Array;
}

/** A connection with its secrets as they are kept. */
export interface SealedConnection extends Connection {
  readonly secrets: Uint8Array;
}

/** What a change makes of a connection. */
export interface ConnectionChange {
  readonly name: string;
  readonly config: Values;
  readonly secrets: Uint8Array;
  readonly secretsSet: readonly string[];
  /** What was known of it holds no more. */
  readonly isOther: boolean;
}

const COLUMNS = 'id, provider, name, config, secrets_set, test_ok, test_reason, test_at, created_at, updated_at';

const toConnection = (row: ConnectionRow): Connection => ({
  id: row.id,
  provider: row.provider,
  name: row.name,
  config: Config.parse(row.config),
  secretsSet: row.secrets_set,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  lastTest:
    row.test_ok === null || row.test_at === null
      ? undefined
      : { ok: row.test_ok, reason: row.test_reason, at: row.test_at },
});

/** The connections of workspaces. Every question is asked in the name of one. */
export class ConnectionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async count(workspaceId: string): Promise<number> {
    const { rows } = await this.#pool.query<{ connections: number }>({
      name: 'count-connections',
      text: 'SELECT count(*)::int AS connections FROM connections WHERE workspace_id = $1',
      values: [workspaceId],
    });
    return rows[0]?.connections ?? 0;
  }

  async create(workspaceId: string, { id, provider, name, config, secretsSet, createdAt, secrets }: SealedConnection) {
    await this.#pool.query({
      name: 'create-connection',
      text: `
        INSERT INTO connections (id, workspace_id, provider, name, config, secrets, secrets_set, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
      values: [id, workspaceId, provider, name, JSON.stringify(config), secrets, secretsSet, createdAt],
    });
  }

  /** Newest first, those from before `before` where it isn't empty. */
  async list(workspaceId: string, before: string, limit: number): Promise<Connection[]> {
    const { rows } = await this.#pool.query<ConnectionRow>({
      name: 'list-connections',
      text: `
        SELECT ${COLUMNS} FROM connections WHERE workspace_id = $1 AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3`,
      values: [workspaceId, before, limit],
    });
    return rows.map(toConnection);
  }

  async find(workspaceId: string, id: string): Promise<SealedConnection | undefined> {
    const { rows } = await this.#pool.query<SealedRow>({
      name: 'find-connection',
      text: `SELECT ${COLUMNS}, secrets FROM connections WHERE workspace_id = $1 AND id = $2`,
      values: [workspaceId, id],
    });
    return rows[0] && { ...toConnection(rows[0]), secrets: rows[0].secrets };
  }

  /**
   * Changes a connection to what `change` makes of it as it is now: two who change different things of it at once both have their way.
   * @returns undefined where there is none
   */
  update(
    workspaceId: string,
    id: string,
    change: (now: SealedConnection) => ConnectionChange,
    at: Date,
  ): Promise<Connection | undefined> {
    return inTransaction(this.#pool, async (client) => {
      const { rows: found } = await client.query<SealedRow>(
        `SELECT ${COLUMNS}, secrets FROM connections WHERE workspace_id = $1 AND id = $2 FOR UPDATE`,
        [workspaceId, id],
      );
      if (found[0] === undefined) return undefined;
      const { name, config, secrets, secretsSet, isOther } = change({
        ...toConnection(found[0]),
        secrets: found[0].secrets,
      });
      // Every change has a moment of its own, by which a test knows what it was made of.
      const { rows } = await client.query<ConnectionRow>(
        `UPDATE connections SET name = $3, config = $4, secrets = $5, secrets_set = $6,
           updated_at = greatest($7, updated_at + interval '1 ms'),
           test_ok = CASE WHEN $8 THEN NULL ELSE test_ok END, test_at = CASE WHEN $8 THEN NULL ELSE test_at END,
           test_reason = CASE WHEN $8 THEN '' ELSE test_reason END
         WHERE workspace_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
        [workspaceId, id, name, JSON.stringify(config), secrets, secretsSet, at, isOther],
      );
      return rows[0] && toConnection(rows[0]);
    });
  }

  /** @returns whether there was one */
  async delete(workspaceId: string, id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'delete-connection',
      text: 'DELETE FROM connections WHERE workspace_id = $1 AND id = $2',
      values: [workspaceId, id],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Notes what came of a test, unless the connection has been changed since it was made of `updatedAt`. */
  async noteTest(workspaceId: string, id: string, updatedAt: Date, { ok, reason, at }: ConnectionTest): Promise<void> {
    await this.#pool.query({
      name: 'note-test',
      text: `
        UPDATE connections SET test_ok = $4, test_reason = $5, test_at = $6
        WHERE workspace_id = $1 AND id = $2 AND updated_at = $3`,
      values: [workspaceId, id, updatedAt, ok, reason, at],
    });
  }
}
