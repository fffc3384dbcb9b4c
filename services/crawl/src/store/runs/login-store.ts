import type pg from 'pg';
import { logOf } from './run-log.ts';

/** Ends runs whose saved login was deleted. */
export class LoginStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Ends the unfinished runs that use these logins at once: results of their pages are rejected from then on. Safe to repeat. */
  async endRunsWith(logins: readonly { readonly loginId: string; readonly workspaceId: string }[]): Promise<void> {
    const named = logins.filter(({ loginId }) => loginId !== '');
    if (named.length === 0) return;
    await this.#pool.query({
      name: 'end-runs-with-login',
      text: `
          WITH moved AS (
            UPDATE runs r SET status = 'done', stop = 'login_dead', finished_at = now(), lease_until = now(), owner = NULL
            FROM unnest($1::text[], $2::text[]) AS l(id, workspace_id)
            WHERE NOT r.cleaned_up AND r.status IN ('queued', 'running')
              AND r.workspace_id = l.workspace_id AND r.options->>'loginId' = l.id
            RETURNING r.no
          ) ${logOf('moved', `'login'`, `'its saved login was deleted'`)}`,
      values: [named.map(({ loginId }) => loginId), named.map(({ workspaceId }) => workspaceId)],
    });
  }
}
