import { anyOf, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { type ProjectVisibility, selectVisible } from '../store/visible-projects.ts';

const MAX_PROJECTS = 1_000;

/** A saved login and the projects that name it. */
export interface LoginProjects {
  readonly loginId: string;
  readonly projectIds: readonly string[];
}

const LOGIN_ID = sql<string>`config ->> 'login_id'`;

/** Finds the projects whose config names a saved login. Limited to the projects the caller may see. */
export class LoginProjectStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns logins that at least one project names, each with 1,000 projects at most. `loginIds` undefined: all logins. */
  list(visible: ProjectVisibility, loginIds: readonly string[] | undefined): Promise<LoginProjects[]> {
    return selectRows(
      this.#pool,
      selectVisible(visible)
        .select([LOGIN_ID.as('loginId'), sql<string[]>`(array_agg(id))[1:${sql.lit(MAX_PROJECTS)}]`.as('projectIds')])
        .where(LOGIN_ID, 'is not', null)
        .$if(loginIds !== undefined, (named) => named.where(LOGIN_ID, '=', anyOf(loginIds ?? [])))
        .groupBy(LOGIN_ID),
    );
  }
}
