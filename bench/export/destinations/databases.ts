import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { createDatabase } from '@tidemark/testkit';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Driver } from '../../../services/export/src/destinations/driver.ts';
import { META_COLUMNS, metaValues } from '../../../services/export/src/destinations/meta-columns.ts';
import { loadLine } from '../../../services/export/src/destinations/mysql/load-text.ts';
import { MysqlDriver } from '../../../services/export/src/destinations/mysql/mysql-driver.ts';
import { dialServer, signIn } from '../../../services/export/src/destinations/mysql/open-connection.ts';
import { createStaging, createTable, insertMissing } from '../../../services/export/src/destinations/mysql/sql.ts';
import { copyLine } from '../../../services/export/src/destinations/postgres/copy-text.ts';
import { PostgresDriver } from '../../../services/export/src/destinations/postgres/postgres-driver.ts';
import * as postgresSql from '../../../services/export/src/destinations/postgres/sql.ts';
import { PASSWORD, startMariadb } from '../../../services/export/test/servers/mariadb.ts';
import type { Figures } from '../../archive/figures.ts';
import { attempt, COLUMNS, generatedRows, measure, planOf, readyRows } from './rows.ts';

/** Lowest ratio of a sync's rows/s to the floor; highest CPU of this process for a row, µs; growth of memory, MB. */
const GOALS = { postgres: { first: 0.5, unchanged: 0.9, cpuUs: 30 }, mysql: { first: 0.8 }, growthMb: 40 };

export interface Sizes {
  readonly rows: number;
  /** Rows of the sync whose memory is compared; 0: none. */
  readonly large: number;
}

const never = new AbortController().signal;
const dialTcp = makeDialTcp(createGuard({ allow: parseAllowList('127.0.0.1') }));
const ALL = [...META_COLUMNS, ...COLUMNS];

/** Encodes all rows before the clock starts. */
async function readyBytes(rows: number, line: (values: readonly unknown[]) => string): Promise<Buffer[]> {
  const plan = planOf({ table: 'floor' });
  const chunks: Buffer[] = [];
  for await (const batch of generatedRows(rows).read(0)) {
    const lines = batch.rows.map((row) =>
      line([...metaValues(row, plan, new Date()), ...COLUMNS.map(({ name }) => row.values[name])]),
    );
    chunks.push(Buffer.from(lines.join('')));
  }
  return chunks;
}

interface Floor {
  readonly name: string;
  readonly seconds: number;
  readonly goals: { readonly first: number; readonly unchanged?: number; readonly cpuUs?: number };
}

async function measureDriver(
  figures: Figures,
  driver: Driver,
  { rows, large }: Sizes,
  { name, seconds, goals }: Floor,
): Promise<void> {
  const speed = (taken: number): string => `${Math.round(rows / taken)} rows/s`;
  figures.add(`${name}: floor, ready bytes into a logged table`, speed(seconds));
  // Compiles the code.
  await driver.write(planOf({ table: 'warm' }), generatedRows(500), attempt());
  const ready = await readyRows(rows);
  const first = await measure(() => driver.write(planOf({}), ready, attempt()));
  const ratio = seconds / first.seconds;
  figures.add(
    `${name}: first upsert`,
    `${speed(first.seconds)}, ${ratio.toFixed(2)} x floor`,
    `>= ${goals.first} x`,
    ratio >= goals.first,
  );
  const cpuUs = (first.cpuMs * 1_000) / rows;
  if (goals.cpuUs === undefined) figures.add(`${name}: client CPU of a row`, `${cpuUs.toFixed(0)} us`);
  else
    figures.add(`${name}: client CPU of a row`, `${cpuUs.toFixed(0)} us`, `<= ${goals.cpuUs} us`, cpuUs <= goals.cpuUs);
  const again = await measure(() => driver.write(planOf({}), ready, attempt()));
  const unchanged = seconds / again.seconds;
  const figure = `${speed(again.seconds)}, ${unchanged.toFixed(2)} x floor`;
  if (goals.unchanged === undefined) figures.add(`${name}: unchanged rows`, figure);
  else figures.add(`${name}: unchanged rows`, figure, `>= ${goals.unchanged} x`, unchanged >= goals.unchanged);
  if (large === 0) return;
  const small = await measure(() => driver.write(planOf({ table: 'small' }), generatedRows(rows), attempt()));
  const big = await measure(() => driver.write(planOf({ table: 'large' }), generatedRows(large), attempt()));
  const growth = Math.max(0, big.peakRssMb - small.peakRssMb);
  figures.add(
    `${name}: memory at ${large} rows beside ${rows}`,
    `${growth.toFixed(0)} MB`,
    `<= ${GOALS.growthMb} MB`,
    growth <= GOALS.growthMb,
  );
}

export async function measurePostgres(figures: Figures, sizes: Sizes): Promise<void> {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { hostname, port, username, password, pathname } = new URL(database.url);
    const settings = {
      ...{ host: hostname, port: Number(port), database: pathname.slice(1), user: username, schema: 'public' },
      ...({ password: decodeURIComponent(password), tls: 'off', ca: '' } as const),
    };
    const chunks = await readyBytes(sizes.rows, (values) => copyLine(values, ALL));
    await client.query(postgresSql.createTable('floor', COLUMNS));
    const copy = `COPY floor (${postgresSql.listed(ALL)}) FROM STDIN`;
    const { seconds } = await measure(() =>
      pipeline(Readable.from(chunks, { objectMode: false }), client.query(copyFrom(copy))),
    );
    const driver = new PostgresDriver(settings, dialTcp);
    await measureDriver(figures, driver, sizes, { name: 'postgres', seconds, goals: GOALS.postgres });
  } finally {
    await client.end();
    await database.close();
  }
}

export async function measureMysql(figures: Figures, sizes: Sizes): Promise<void> {
  const server = await startMariadb();
  try {
    const account = { user: 'tidemark', password: PASSWORD, database: 'tidemark' };
    const settings = { host: '127.0.0.1', port: server.port, ...account, tls: 'off', ca: '' } as const;
    const connection = await signIn(settings, await dialServer(settings, dialTcp, never), never);
    const chunks = await readyBytes(sizes.rows, (values) => loadLine(values, ALL));
    await connection.query(createTable('floor', COLUMNS));
    const { seconds } = await measure(async () => {
      await connection.query(createStaging('floor_staged', COLUMNS));
      const names = ALL.map(({ name }) => name).join(', ');
      const sql = `LOAD DATA LOCAL INFILE 'rows' INTO TABLE floor_staged CHARACTER SET utf8mb4 (${names})`;
      await connection.query({ sql, infileStreamFactory: () => Readable.from(chunks, { objectMode: false }) });
      await connection.query(insertMissing('floor', 'floor_staged', COLUMNS));
    });
    connection.destroy();
    await measureDriver(figures, new MysqlDriver(settings, dialTcp), sizes, {
      name: 'mysql',
      seconds,
      goals: GOALS.mysql,
    });
  } finally {
    await server.close();
  }
}
