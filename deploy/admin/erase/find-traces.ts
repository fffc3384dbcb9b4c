import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import pg from 'pg';
import { z } from 'zod';
import { quoted, serviceSchemas } from '../backup/tables.ts';
import type { Installation } from '../installation.ts';

/** Where a text was found, and in how many rows, messages or keys. */
export interface Trace {
  /** `schema.table.column`, `jetstream STREAM`, or `redis`. */
  readonly place: string;
  readonly count: number;
}

/**
 * Searches every column of every service, every message of every stream and every key of Redis for texts, also inside of bytes. Reads everything:
 * on a large installation this takes minutes. Stored bodies are searched only where a row names them: none does after an erasure.
 */
export async function findTraces(
  { databaseUrl, natsUrl, redisUrl }: Pick<Installation, 'databaseUrl' | 'natsUrl' | 'redisUrl'>,
  texts: readonly string[],
): Promise<Trace[]> {
  const found = await tracesInDatabase(databaseUrl, texts);
  if (natsUrl !== undefined) found.push(...(await tracesInStreams(natsUrl, texts)));
  if (redisUrl !== undefined) found.push(...(await tracesInRedis(redisUrl, texts)));
  return found;
}

const Column = z.object({ schema: z.string(), table: z.string(), column: z.string(), type: z.string() });
const Counted = z.array(z.object({ count: z.coerce.number() }));

const COLUMNS = `
  SELECT n.nspname AS schema, c.relname AS "table", a.attname AS "column", t.typname AS type
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
  WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND t.typname IN ('bytea', 'text', '_text', 'varchar', '_varchar', 'json', 'jsonb')
  ORDER BY 1, 2, a.attnum`;

async function tracesInDatabase(databaseUrl: string, texts: readonly string[]): Promise<Trace[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the rejected query reports it
  await client.connect();
  try {
    const { rows } = await client.query(COLUMNS, [await serviceSchemas(client)]);
    const found: Trace[] = [];
    for (const { schema, table, column, type } of z.array(Column).parse(rows)) {
      const isBytes = type === 'bytea';
      const value = isBytes ? quoted(column) : `${quoted(column)}::text`;
      const condition = texts.map(
        (_, index) => `position($${index + 1}::${isBytes ? 'bytea' : 'text'} IN ${value}) > 0`,
      );
      const values = texts.map((text) => (isBytes ? Buffer.from(text) : text));
      const query = `SELECT count(*) FROM ${quoted(schema, table)} WHERE ${condition.join(' OR ')}`;
      const count = Counted.parse((await client.query(query, values)).rows)[0]?.count ?? 0;
      if (count > 0) found.push({ place: `${schema}.${table}.${column}`, count });
    }
    return found;
  } finally {
    await client.end().catch(() => {});
  }
}

async function tracesInStreams(natsUrl: string, texts: readonly string[]): Promise<Trace[]> {
  const { username, password, host } = new URL(natsUrl);
  const account = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const bus = await connect({ servers: host, timeout: 5_000, ...account });
  try {
    const manager = await jetstreamManager(bus);
    const found: Trace[] = [];
    for await (const { config, state } of manager.streams.list()) {
      let count = 0;
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
        // Messages between the first and the last may be deleted.
        const message = await manager.streams.getMessage(config.name, { seq }).catch(() => undefined);
        if (message && texts.some((text) => Buffer.from(message.data).includes(text))) count += 1;
      }
      if (count > 0) found.push({ place: `jetstream ${config.name}`, count });
    }
    return found;
  } finally {
    await bus.close();
  }
}

async function tracesInRedis(redisUrl: string, texts: readonly string[]): Promise<Trace[]> {
  const redis = new Redis(redisUrl, { lazyConnect: true, maxRetriesPerRequest: 2 });
  try {
    await redis.connect();
    let count = 0;
    for await (const keys of redis.scanStream({ count: 500 })) {
      for (const key of z.array(z.string()).parse(keys)) {
        const value = await redis.dumpBuffer(key);
        if (texts.some((text) => key.includes(text) || value?.includes(text))) count += 1;
      }
    }
    return count > 0 ? [{ place: 'redis', count }] : [];
  } finally {
    redis.disconnect();
  }
}
