import { type OutgoingEvent, outboxRows } from '@tidemark/service';
import { z } from 'zod';
import type { Connection, ConnectionTest, Values } from '../domain/connection.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ConnectionModel } from '../generated/prisma/models.ts';

const Config = z.record(z.string(), z.string());
const Steps = z.array(z.object({ name: z.string(), ok: z.boolean(), message: z.string() }));

/** A connection with its sealed secrets. */
export interface SealedConnection extends Connection {
  readonly secrets: Uint8Array;
}

/** New values of a connection. */
export interface ConnectionChange {
  readonly name: string;
  readonly config: Values;
  readonly secrets: Uint8Array;
  readonly secretsSet: readonly string[];
  /** The result of the last test no longer applies. */
  readonly isOther: boolean;
  /** Events of the change. */
  readonly outgoing: readonly OutgoingEvent[];
}

type Row = Omit<ConnectionModel, 'secrets'>;

const UNTESTED = { testOk: null, testAt: null, testReason: '', testSteps: [] };

const toConnection = ({ testOk, testReason, testSteps, testAt, config, ...row }: Row): Connection => ({
  id: row.id,
  provider: row.provider,
  name: row.name,
  config: Config.parse(config),
  secretsSet: row.secretsSet,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  lastTest:
    testOk === null || testAt === null
      ? undefined
      : { ok: testOk, reason: testReason, steps: Steps.parse(testSteps), at: testAt },
});

/** Prisma requires a mutable array. */
const bytesOf = (secrets: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(secrets);

/** The connections of workspaces. Every query is filtered by the workspace. */
export class ConnectionStore {
  readonly #db: PrismaClient;

  constructor(db: PrismaClient) {
    this.#db = db;
  }

  count(workspaceId: string): Promise<number> {
    return this.#db.connection.count({ where: { workspaceId } });
  }

  /** Stores a connection and its events in one transaction. */
  async create(workspaceId: string, connection: SealedConnection, outgoing: readonly OutgoingEvent[]): Promise<void> {
    const { id, provider, name, config, secretsSet, createdAt, secrets } = connection;
    const data = {
      id,
      workspaceId,
      provider,
      name,
      config,
      createdAt,
      updatedAt: createdAt,
      secrets: bytesOf(secrets),
      secretsSet: [...secretsSet],
    };
    await this.#db.$transaction([
      this.#db.connection.create({ data }),
      this.#db.outbox.createMany({ data: outboxRows(outgoing) }),
    ]);
  }

  /** Newest first; with `before`, only those older than that id. */
  async list(workspaceId: string, before: string | undefined, limit: number): Promise<Connection[]> {
    const rows = await this.#db.connection.findMany({
      where: { workspaceId, ...(before === undefined ? {} : { id: { lt: before } }) },
      orderBy: { id: 'desc' },
      take: limit,
      omit: { secrets: true },
    });
    return rows.map(toConnection);
  }

  async find(workspaceId: string, id: string): Promise<SealedConnection | undefined> {
    const row = await this.#db.connection.findFirst({ where: { id, workspaceId } });
    return row === null ? undefined : { ...toConnection(row), secrets: row.secrets };
  }

  /**
   * Applies `change` to the current values under a row lock, so that concurrent changes of different fields are all kept.
   * @returns undefined where the connection does not exist
   */
  update(
    workspaceId: string,
    id: string,
    change: (now: SealedConnection) => ConnectionChange,
    at: Date,
  ): Promise<Connection | undefined> {
    return this.#db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT FROM connections WHERE workspace_id = ${workspaceId} AND id = ${id} FOR UPDATE`;
      const row = await tx.connection.findFirst({ where: { id, workspaceId } });
      if (row === null) return undefined;
      const changed = change({ ...toConnection(row), secrets: row.secrets });
      const { name, config, secrets, secretsSet, isOther, outgoing } = changed;
      await tx.outbox.createMany({ data: outboxRows(outgoing) });
      // `updatedAt` is a version: it grows with every change, and a test result names the version it belongs to.
      const updatedAt = new Date(Math.max(at.getTime(), row.updatedAt.getTime() + 1));
      const data = { name, config, secrets: bytesOf(secrets), secretsSet: [...secretsSet], updatedAt };
      return toConnection(
        await tx.connection.update({
          where: { id },
          data: { ...data, ...(isOther ? UNTESTED : {}) },
          omit: { secrets: true },
        }),
      );
    });
  }

  /** Deletes a connection, pauses its destinations and writes `outgoing` events. @returns whether it existed */
  delete(workspaceId: string, id: string, outgoing: readonly OutgoingEvent[]): Promise<boolean> {
    const paused = { status: 'paused', pausedReason: 'its connection was deleted' };
    return this.#db.$transaction(async (tx) => {
      await tx.destination.updateMany({ where: { connectionId: id, workspaceId }, data: paused });
      const { count } = await tx.connection.deleteMany({ where: { id, workspaceId } });
      if (count > 0) await tx.outbox.createMany({ data: outboxRows(outgoing) });
      return count > 0;
    });
  }

  /** Stores a test result, unless the connection has changed since version `updatedAt`. */
  async noteTest(workspaceId: string, id: string, updatedAt: Date, test: ConnectionTest): Promise<void> {
    const { ok, reason, steps, at } = test;
    await this.#db.connection.updateMany({
      where: { id, workspaceId, updatedAt },
      data: { testOk: ok, testReason: reason, testSteps: steps.map((step) => ({ ...step })), testAt: at },
    });
  }
}
