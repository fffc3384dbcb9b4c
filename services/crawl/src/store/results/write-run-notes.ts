import type pg from 'pg';
import { givenUpAfter } from '../../domain/run/host-responses.ts';
import type { LogNote } from '../../domain/run/run-log-text.ts';
import { noteRun } from '../runs/run-log.ts';
import type { LockedRun, ResultBatch } from './page-results.ts';

/** What ended pages show of their run as a whole is rare: it is told in statements of its own, and there are none where nothing is new. */
export async function writeRunNotes(client: pg.PoolClient, run: LockedRun, batch: ResultBatch): Promise<void> {
  const isLoginDead = batch.results.some((end) => end.isLoginDead) && (await stopForDeadLogin(client, run));
  const before = new Set(run.given_up);
  const givenUp = givenUpAfter(run.given_up, batch.results).filter((host) => !before.has(host));
  const notes: LogNote[] = [
    ...givenUp.map((host) => ({
      what: 'given_up' as const,
      alike: host,
      why: `${host} gave no answer for too long; its pages are left without being asked for`,
    })),
    ...batch.newTraps.map(({ pattern, why }) => ({
      what: 'trap' as const,
      alike: pattern,
      once: true,
      why: `${pattern} is followed no further: ${why}`,
    })),
    ...(isLoginDead ? [LOGIN_NOTE] : []),
  ];
  await noteRun(client, run.no, notes);
}

const LOGIN_NOTE: LogNote = { what: 'login', why: 'a page says that nobody is signed in: its saved login is dead' };

/** Nothing more is offered. @returns whether the run had not been going to stop */
async function stopForDeadLogin(client: pg.PoolClient, { no }: LockedRun): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'stop-without-login',
    text: `UPDATE runs SET stop = 'login_dead' WHERE no = $1 AND stop IS NULL`,
    values: [no],
  });
  return (rowCount ?? 0) > 0;
}
