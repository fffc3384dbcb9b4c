import type pg from 'pg';
import type { LoginFinding } from './login.ts';

/** Days after which the end of a run is not expected any more. */
const KEPT_DAYS = 90;

/** Which session each run was started with. */
export class RunLogins {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Records the session a run is about to start with. Idempotent. @returns false if there is no such login */
  async record(workspaceId: string, loginId: string, runId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'record-run-login',
      text: `
        INSERT INTO login_runs (run_id, login_id, session_version)
        SELECT $3, id, session_version FROM logins WHERE workspace_id = $1 AND id = $2
        ON CONFLICT (run_id) DO UPDATE SET run_id = EXCLUDED.run_id`,
      values: [workspaceId, loginId, runId],
    });
    return (rowCount ?? 0) > 0;
  }

  /** @returns the login's ID; undefined: the run was started without one, or the login was deleted since */
  async find(workspaceId: string, runId: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'find-run-login',
      text: 'SELECT l.id FROM login_runs r JOIN logins l ON l.id = r.login_id WHERE r.run_id = $2 AND l.workspace_id = $1',
      values: [workspaceId, runId],
    });
    return rows[0]?.id;
  }

  /** Stores the state of the session a run used, unless the session was replaced or a later state is stored. */
  async note(
    { workspaceId, runId }: { readonly workspaceId: string; readonly runId: string },
    { state, reason }: LoginFinding,
    at: Date,
  ): Promise<void> {
    await this.#pool.query({
      name: 'note-login-by-run',
      text: `
        UPDATE logins l SET state = $3, reason = $4, checked_at = $5 FROM login_runs r
        WHERE r.run_id = $1 AND l.id = r.login_id AND l.workspace_id = $2 AND l.session_version = r.session_version
          AND (l.checked_at IS NULL OR l.checked_at <= $5)`,
      values: [runId, workspaceId, state, reason, at],
    });
  }

  async deleteOld(): Promise<void> {
    await this.#pool.query('DELETE FROM login_runs WHERE noted_at < now() - make_interval(days => $1)', [KEPT_DAYS]);
  }
}
