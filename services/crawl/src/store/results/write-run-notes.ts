import { type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { givenUpAfter } from '../../domain/run/host-responses.ts';
import type { LogNote } from '../../domain/run/run-log-text.ts';
import { noteRun } from '../runs/run-log.ts';
import { schema } from '../tables.ts';
import type { LockedRow, ResultBatch } from './page-results.ts';

const STOP = schema.prepareText(
  'stop-without-login',
  {},
  ({ no }: Params<{ readonly no: bigint | string }>) =>
    sql`UPDATE runs SET stop = 'login_dead' WHERE no = ${no} AND stop IS NULL`,
);

/** Writes rare events of a batch to the run's log: hosts given up, traps, a dead login. Runs no statement if there are none. */
export async function writeRunNotes(client: pg.PoolClient, run: LockedRow, batch: ResultBatch): Promise<void> {
  const isLoginDead = batch.results.some((end) => end.isLoginDead) && (await stopForDeadLogin(client, run));
  const before = new Set(run.given_up);
  const givenUp = givenUpAfter(run.given_up, batch.results).filter((host) => !before.has(host));
  const notes: LogNote[] = [
    ...givenUp.map((host) => ({
      what: 'given_up' as const,
      subject: host,
      why: `${host} did not respond for too long; its pages are not requested any more`,
    })),
    ...batch.newTraps.map(({ pattern, why }) => ({
      what: 'trap' as const,
      subject: pattern,
      once: true,
      why: `${pattern} is not followed any further: ${why}`,
    })),
    ...(isLoginDead ? [LOGIN_NOTE] : []),
  ];
  await noteRun(client, run.no, notes);
}

const LOGIN_NOTE: LogNote = { what: 'login', why: 'a page is not signed in: the saved login is dead' };

/** Stops a run, which ends offers. @returns whether the run was not stopping before */
async function stopForDeadLogin(client: pg.PoolClient, { no }: LockedRow): Promise<boolean> {
  const changed = await STOP.change(client, { no });
  return changed > 0;
}
