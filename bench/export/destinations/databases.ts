import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { createDatabase } from '@tidemark/testkit';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Driver } from '../../../services/export/src/destinations/driver.ts';
import { META_COLUMNS } from '../../../services/export/src/destinations/meta-columns.ts';
import { loadCell } from '../../../services/export/src/destinations/mysql/load-text.ts';
import { MysqlDriver } from '../../../services/export/src/destinations/mysql/mysql-driver.ts';
import { dialServer, signIn } from '../../../services/export/src/destinations/mysql/open-connection.ts';
import { createStaging, createTable, insertMissing } from '../../../services/export/src/destinations/mysql/sql.ts';
import { copyCell } from '../../../services/export/src/destinations/postgres/copy-text.ts';
import { PostgresDriver } from '../../../services/export/src/destinations/postgres/postgres-driver.ts';
import * as postgresSql from '../../../services/export/src/destinations/postgres/sql.ts';
import { type CellEncoder, makeLineEncoder } from '../../../services/export/src/destinations/tab-separated.ts';
import { PASSWORD, startMariadb } from '../../../services/export/test/servers/mariadb.ts';
import type { Figures } from '../../archive/figures.ts';
import { addGrowth, attempt, COLUMNS, generatedRows, measure, measureGrowth, planOf, readyRows } from './rows.ts';

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
async function readyBytes(rows: number, cell: CellEncoder): Promise<Buffer[]> {
  const encode = makeLineEncoder(planOf({ table: 'floor' }), cell);
  const chunks: Buffer[] = [];
  for await (const batch of generatedRows(rows).read(0)) chunks.push(...encode(batch.rows));
  return chunks;
}

interface Measurement {
  readonly name: string;
  readonly driver: Driver;
  /** Loads ready bytes into an empty table. @returns seconds */
  readonly measureFloor: (round: number) => Promise<number>;
  readonly goals: { readonly first: number; readonly unchanged?: number; readonly cpuUs?: number };
}

/** Each figure is the median of this many rounds; a round measures the floor, a first and an unchanged sync one after the other. */
const ROUNDS = 3;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Measured before the rows and bytes of the other figures are held in memory, beside which V8 lets its heap grow further. */
async function measureDriverGrowth(
  figures: Figures,
  { rows, large }: Sizes,
  { name, driver }: Measurement,
): Promise<void> {
  let tables = 0;
  const write = (count: number): Promise<unknown> => {
    tables += 1;
    return driver.write(planOf({ table: `grown_${tables}` }), generatedRows(count), attempt());
  };
  const growth = await measureGrowth(write, rows, large);
  addGrowth(figures, name, { rows, large, growth, goalMb: GOALS.growthMb });
}

async function measureDriver(figures: Figures, sizes: Sizes, of: Measurement): Promise<void> {
  const { name, driver, goals } = of;
  const { rows, large } = sizes;
  // Compiles the code.
  await driver.write(planOf({ table: 'warm' }), generatedRows(500), attempt());
  if (large > 0) await measureDriverGrowth(figures, sizes, of);
  const ready = await readyRows(rows);
  const rounds: { floor: number; first: number; cpuUs: number; again: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const floor = await of.measureFloor(round);
    const table = `pages_${round}`;
    const first = await measure(() => driver.write(planOf({ table }), ready, attempt()));
    const again = await measure(() => driver.write(planOf({ table }), ready, attempt()));
    const cpuUs = (first.cpuMs * 1_000) / rows;
    rounds.push({ floor, first: first.seconds, cpuUs, again: again.seconds });
  }
  const compare = (what: string, of: 'first' | 'again', goal: number | undefined): void => {
    const ratio = median(rounds.map((round) => round.floor / round[of]));
    const speed = rows / median(rounds.map((round) => round[of]));
    const figure = `${Math.round(speed)} rows/s, ${ratio.toFixed(2)} x floor`;
    if (goal === undefined) figures.add(what, figure);
    else figures.add(what, figure, `>= ${goal} x`, ratio >= goal);
  };
  const floorSpeed = rows / median(rounds.map(({ floor }) => floor));
  figures.add(`${name}: floor, ready bytes into a logged table`, `${Math.round(floorSpeed)} rows/s`);
  compare(`${name}: first upsert`, 'first', goals.first);
  compare(`${name}: unchanged rows`, 'again', goals.unchanged);
  const cpuUs = median(rounds.map((round) => round.cpuUs));
  if (goals.cpuUs === undefined) figures.add(`${name}: client CPU of a row`, `${cpuUs.toFixed(0)} us`);
  else
    figures.add(`${name}: client CPU of a row`, `${cpuUs.toFixed(0)} us`, `<= ${goals.cpuUs} us`, cpuUs <= goals.cpuUs);
}

export async function measurePostgres(figures: Figures, sizes: Sizes): Promise<void> {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { hostname, port, username, password, pathname } = new URL(database.url);
    const settings = {
      host: hostname,
      port: Number(port),
      database: pathname.slice(1),
      user: username,
      schema: 'public',
      ...({ password: decodeURIComponent(password), tls: 'off', ca: '' } as const),
    };
    const chunks = await readyBytes(sizes.rows, copyCell);
    const measureFloor = async (round: number): Promise<number> => {
      await client.query(postgresSql.createTable(`floor_${round}`, COLUMNS));
      const copy = `COPY floor_${round} (${postgresSql.listed(ALL)}) FROM STDIN`;
      const { seconds } = await measure(() =>
        pipeline(Readable.from(chunks, { objectMode: false }), client.query(copyFrom(copy))),
      );
      return seconds;
    };
    const driver = new PostgresDriver(settings, dialTcp);
    await measureDriver(figures, sizes, { name: 'postgres', driver, measureFloor, goals: GOALS.postgres });
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
    const chunks = await readyBytes(sizes.rows, loadCell);
    const measureFloor = async (round: number): Promise<number> => {
      const connection = await signIn(settings, await dialServer(settings, dialTcp, never), never);
      const [table, staged] = [`floor_${round}`, `floor_${round}_staged`];
      await connection.query(createTable(table, COLUMNS));
      const { seconds } = await measure(async () => {
        await connection.query(createStaging(staged, COLUMNS));
        const names = ALL.map(({ name }) => name).join(', ');
        const sql = `LOAD DATA LOCAL INFILE 'rows' INTO TABLE ${staged} CHARACTER SET utf8mb4 (${names})`;
        await connection.query({ sql, infileStreamFactory: () => Readable.from(chunks, { objectMode: false }) });
        await connection.query(insertMissing(table, staged, COLUMNS));
      });
      connection.destroy();
      return seconds;
    };
    const driver = new MysqlDriver(settings, dialTcp);
    await measureDriver(figures, sizes, { name: 'mysql', driver, measureFloor, goals: GOALS.mysql });
  } finally {
    await server.close();
  }
}
