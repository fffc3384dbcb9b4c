import pg from 'pg';
import { adminUrlAt, DATABASE } from '../../deploy/local/parts/postgres-roles.ts';
import type { OwnFleet } from '../../test/harness/fleet.ts';
import { until } from '../../test/harness/until.ts';
import { cpuOfOneMs } from './cost.ts';

const READY_WITHIN_MS = 60_000;

/** A statement, how often it was run and how long that took in all, waits included. */
export interface Statement {
  readonly text: string;
  readonly times: number;
  readonly ms: number;
}

/** Database cost between two samples. */
export interface PostgresCost {
  /** CPU milliseconds of the connections of each service. */
  readonly cpuMs: ReadonlyMap<string, number>;
  /** Time of each statement, the longest first; undefined where statements are not counted. */
  readonly statements: readonly Statement[] | undefined;
  readonly transactions: number;
}

interface Sample {
  readonly cpuMs: ReadonlyMap<number, { readonly service: string; readonly ms: number }>;
  readonly statements: ReadonlyMap<string, Statement> | undefined;
  readonly transactions: number;
}

/** Restarts the database with pg_stat_statements. @returns whether statements are counted */
export async function countStatements(fleet: OwnFleet): Promise<boolean> {
  try {
    await asSuperuser(fleet, 'postgres', `ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`);
    await fleet.stack.parts.postgres.restart();
    await until(
      'the database to count',
      () => asSuperuser(fleet, DATABASE, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public'),
      { withinMs: READY_WITHIN_MS },
    );
    for (const [name, { httpAddr }] of fleet.stack.services) {
      const ready = async () => (await fetch(`http://${httpAddr}/readyz`)).ok;
      await until(`${name} after the restart`, ready, { withinMs: READY_WITHIN_MS });
    }
    return true;
  } catch (error) {
    console.log(`  statements are not counted: ${String(error)}`);
    return false;
  }
}

async function asSuperuser({ stack }: OwnFleet, database: string, statement: string): Promise<true> {
  const url = new URL(adminUrlAt(stack.dataDir, stack.parts.postgres.port));
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(statement);
    return true;
  } finally {
    await client.end();
  }
}

async function sample(fleet: OwnFleet, counted: boolean): Promise<Sample> {
  const backends = await fleet.sql<{ pid: number; service: string }>(
    `SELECT pid, application_name AS service FROM pg_stat_activity WHERE datname = current_database()`,
  );
  const [transactions] = await fleet.sql<{ n: number }>(
    `SELECT xact_commit::float8 AS n FROM pg_stat_database WHERE datname = current_database()`,
  );
  const statements = counted
    ? await fleet.sql<Statement>(
        `SELECT query AS text, sum(calls)::float8 AS times, sum(total_exec_time)::float8 AS ms FROM public.pg_stat_statements GROUP BY query`,
      )
    : undefined;
  return {
    cpuMs: new Map(backends.map(({ pid, service }) => [pid, { service, ms: cpuOfOneMs(pid) }])),
    statements: statements && new Map(statements.map((one) => [one.text, one])),
    transactions: transactions?.n ?? 0,
  };
}

/** Samples the database now. The returned function gives the cost since then. */
export async function watchPostgres(fleet: OwnFleet, counted: boolean): Promise<() => Promise<PostgresCost>> {
  const before = await sample(fleet, counted);
  return async () => {
    const after = await sample(fleet, counted);
    const cpuMs = new Map<string, number>();
    for (const [pid, { service, ms }] of after.cpuMs)
      cpuMs.set(service, (cpuMs.get(service) ?? 0) + ms - (before.cpuMs.get(pid)?.ms ?? 0));
    const statements =
      after.statements &&
      [...after.statements]
        .map(([text, { times, ms }]) => {
          const earlier = before.statements?.get(text);
          return { text, times: times - (earlier?.times ?? 0), ms: ms - (earlier?.ms ?? 0) };
        })
        .filter(({ times }) => times > 0)
        .sort((a, b) => b.ms - a.ms);
    return { cpuMs, statements, transactions: after.transactions - before.transactions };
  };
}

/** Returns the number of statements; undefined where they are not counted. */
export const statementsIn = ({ statements }: PostgresCost): number | undefined =>
  statements?.reduce((sum, { times }) => sum + times, 0);
