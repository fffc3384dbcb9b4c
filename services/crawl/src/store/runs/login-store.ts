import { literals, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { OPEN_STATES, RUN_TRANSITIONS } from '../../domain/run/run-state.ts';
import { schema } from '../tables.ts';
import { logWords } from './run-log.ts';

const END = schema.prepareText(
  'end-runs-with-login',
  {},
  ({
    loginIds,
    workspaceIds,
  }: Params<{ readonly loginIds: readonly string[]; readonly workspaceIds: readonly string[] }>) => sql`
      WITH moved AS (
        UPDATE runs r SET status = ${sql.lit(RUN_TRANSITIONS.finish.to)}, stop = 'login_dead', finished_at = now(), lease_until = now(), owner = NULL
        FROM unnest(${loginIds}::text[], ${workspaceIds}::text[]) AS l(id, workspace_id)
        WHERE NOT r.cleaned_up AND r.status IN (${literals(OPEN_STATES)})
          AND r.workspace_id = l.workspace_id AND r.options->>'loginId' = l.id
        RETURNING r.no
      ) ${logWords('moved', 'login', 'its saved login was deleted')}`,
);

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
    await END.change(this.#pool, {
      loginIds: named.map(({ loginId }) => loginId),
      workspaceIds: named.map(({ workspaceId }) => workspaceId),
    });
  }
}
