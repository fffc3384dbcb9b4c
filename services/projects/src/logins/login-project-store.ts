import { projectLimitOf } from '@tidemark/contracts';
import type pg from 'pg';
import type { ProjectVisibility } from '../store/project-store.ts';

const MAX_PROJECTS = 1_000;

/** A saved login and the projects that name it. */
export interface LoginProjects {
  readonly loginId: string;
  readonly projectIds: readonly string[];
}

/** Which projects name saved logins in their config. Limited to the projects the caller may see. */
export class LoginProjectStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns logins that at least one project names, each with 1,000 projects at most. `loginIds` empty: all logins. */
  async list({ workspaceId, access }: ProjectVisibility, loginIds: readonly string[]): Promise<LoginProjects[]> {
    const { rows } = await this.#pool.query<LoginProjects>({
      name: 'list-login-projects',
      text: `
        SELECT config ->> 'login_id' AS "loginId", (array_agg(id))[1:${MAX_PROJECTS}] AS "projectIds"
        FROM projects WHERE workspace_id = $1 AND ($2::text[] IS NULL OR id = ANY($2))
          AND config ->> 'login_id' IS NOT NULL AND ($3::text[] = '{}' OR config ->> 'login_id' = ANY($3))
        GROUP BY 1`,
      values: [workspaceId, projectLimitOf(access), loginIds],
    });
    return rows;
  }
}
