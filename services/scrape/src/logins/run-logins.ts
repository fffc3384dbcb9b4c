import { changeRows, type Params, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from '../store/tables.ts';
import type { LoginFinding } from './login.ts';

/** Days after which the end of a run is not expected any more. */
const KEPT_DAYS = 90;

interface RecordValues {
  readonly workspaceId: string;
  readonly loginId: string;
  readonly runId: string;
}

const RECORD = schema.prepareText(
  'record-run-login',
  {},
  ({ workspaceId, loginId, runId }: Params<RecordValues>) => sql`
    INSERT INTO login_runs (run_id, login_id, session_version)
    SELECT ${runId}, id, session_version FROM logins WHERE workspace_id = ${workspaceId} AND id = ${loginId}
    ON CONFLICT (run_id) DO UPDATE SET run_id = EXCLUDED.run_id`,
);

/** Which session each run was started with. */
export class RunLogins {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Records the session a run is about to start with. Idempotent. @returns false if there is no such login */
  async record(workspaceId: string, loginId: string, runId: string): Promise<boolean> {
    return RECORD.changesRow(this.#pool, { workspaceId, loginId, runId });
  }

  /** @returns the login's ID; undefined: the run was started without one, or the login was deleted since */
  async find(workspaceId: string, runId: string): Promise<string | undefined> {
    const login = await selectRow(
      this.#pool,
      tables
        .selectFrom('login_runs as r')
        .innerJoin('logins as l', 'l.id', 'r.login_id')
        .select('l.id')
        .where('r.run_id', '=', runId)
        .where('l.workspace_id', '=', workspaceId),
    );
    return login?.id;
  }

  /** Stores the state of the session a run used, unless the session was replaced or a later state is stored. */
  async note(
    { workspaceId, runId }: { readonly workspaceId: string; readonly runId: string },
    { state, reason }: LoginFinding,
    at: Date,
  ): Promise<void> {
    await changeRows(
      this.#pool,
      tables
        .updateTable('logins as l')
        .from('login_runs as r')
        .set({ state, reason, checked_at: at })
        .where('r.run_id', '=', runId)
        .whereRef('l.id', '=', 'r.login_id')
        .where('l.workspace_id', '=', workspaceId)
        .whereRef('l.session_version', '=', 'r.session_version')
        .where((where) => where.or([where('l.checked_at', 'is', null), where('l.checked_at', '<=', at)])),
    );
  }

  async deleteOld(): Promise<void> {
    await changeRows(
      this.#pool,
      tables.deleteFrom('login_runs').where('noted_at', '<', sql<Date>`now() - make_interval(days => ${KEPT_DAYS})`),
    );
  }
}
