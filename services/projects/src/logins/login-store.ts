import { facts } from '@tidemark/contracts';
import { type Outgoing, outboxColumns, outgoing } from '@tidemark/service';
import type pg from 'pg';
import { z } from 'zod';
import { LOGIN_STATES, type Login, type LoginFinding, type NewLogin, untested } from '../domain/login.ts';
import type { Session } from '../domain/session-cookies.ts';
import type { Reach } from '../store/project-store.ts';

/** Days after which nobody waits for the end of a run any more. */
const REMEMBER_DAYS = 90;
/** Projects told of one login. */
const MOST_PROJECTS = 1_000;

const State = z.enum(LOGIN_STATES);

interface LoginRow {
  readonly id: string;
  readonly site: string;
  readonly name: string;
  readonly saved_by: string;
  readonly saved_at: Date;
  readonly terms_accepted_at: Date;
  readonly state: string;
  readonly reason: string;
  readonly checked_at: Date | null;
  readonly cookies: number;
  readonly expires_at: Date | null;
  readonly project_ids: readonly string[];
}

/** A login's session, as it is kept. */
export interface SealedSession {
  readonly id: string;
  readonly site: string;
  readonly frontPage: string;
  readonly session: Uint8Array;
  readonly version: number;
}

const toLogin = (row: LoginRow): Login => ({
  id: row.id,
  site: row.site,
  name: row.name,
  savedBy: row.saved_by,
  savedAt: row.saved_at,
  termsAcceptedAt: row.terms_accepted_at,
  state: State.parse(row.state),
  reason: row.reason,
  checkedAt: row.checked_at ?? undefined,
  cookies: row.cookies,
  expiresAt: row.expires_at ?? undefined,
  projectIds: row.project_ids,
});

/** Projects of `l` that a key for `$2` may see; those a login of which it may see itself. */
const NAMED = `
  SELECT p.id FROM projects p WHERE p.workspace_id = l.workspace_id AND p.config ->> 'login_id' = l.id
    AND ($2::text[] = '{}' OR p.id = ANY($2)) LIMIT ${MOST_PROJECTS}`;
const SEEN = `l.workspace_id = $1 AND ($2::text[] = '{}' OR EXISTS (${NAMED}))`;

/** Saved logins. What the asker may see: its workspace's, and where its key is for some projects, those that one of them names. */
export class LoginStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async count(workspaceId: string): Promise<number> {
    const { rows } = await this.#pool.query<{ logins: number }>({
      name: 'count-logins',
      text: 'SELECT count(*)::int AS logins FROM logins WHERE workspace_id = $1',
      values: [workspaceId],
    });
    return rows[0]?.logins ?? 0;
  }

  async create({ id, workspaceId, site, frontPage, name, savedBy, at, session }: NewLogin, sealed: Uint8Array) {
    await this.#pool.query({
      name: 'create-login',
      text: `
        INSERT INTO logins (id, workspace_id, site, front_page, name, saved_by, saved_at, terms_accepted_at, reason, cookies, expires_at, session)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11)`,
      values: [
        ...[id, workspaceId, site, frontPage, name, savedBy, at],
        ...[untested(session), session.cookies.length, session.expiresAt ?? null, sealed],
      ],
    });
  }

  async find(reach: Reach, id: string): Promise<Login | undefined> {
    const [login] = await this.#select(reach, 'l.id = $3', [id]);
    return login;
  }

  /** Newest first, those from before `before` where it isn't empty. */
  list(reach: Reach, before: string, limit: number): Promise<Login[]> {
    return this.#select(reach, `($3 = '' OR l.id < $3) ORDER BY l.id DESC LIMIT $4`, [before, limit]);
  }

  async #select({ workspaceId, projects }: Reach, where: string, values: readonly unknown[]): Promise<Login[]> {
    const { rows } = await this.#pool.query<LoginRow>({
      text: `
        SELECT l.id, l.site, l.name, l.saved_by, l.saved_at, l.terms_accepted_at, l.state, l.reason, l.checked_at, l.cookies, l.expires_at,
          ARRAY(${NAMED}) AS project_ids
        FROM logins l WHERE ${SEEN} AND ${where}`,
      values: [workspaceId, projects, ...values],
    });
    return rows.map(toLogin);
  }

  async session({ workspaceId, projects }: Reach, id: string): Promise<SealedSession | undefined> {
    const { rows } = await this.#pool.query<SealedSession>({
      name: 'login-session',
      text: `
        SELECT l.id, l.site, l.front_page AS "frontPage", l.session, l.session_version AS version
        FROM logins l WHERE ${SEEN} AND l.id = $3`,
      values: [workspaceId, projects, id],
    });
    return rows[0];
  }

  async rename(workspaceId: string, id: string, name: string): Promise<void> {
    await this.#pool.query({
      name: 'rename-login',
      text: 'UPDATE logins SET name = $3 WHERE workspace_id = $1 AND id = $2',
      values: [workspaceId, id, name],
    });
  }

  /** Puts another session in the place of the one there was: what was known of that is forgotten. */
  async replace(
    { workspaceId, keyId }: { readonly workspaceId: string; readonly keyId: string },
    id: string,
    { session, sealed, at }: { readonly session: Session; readonly sealed: Uint8Array; readonly at: Date },
  ): Promise<void> {
    await this.#pool.query({
      name: 'replace-session',
      text: `
        UPDATE logins SET session = $3, session_version = session_version + 1, cookies = $4, expires_at = $5, saved_by = $6, saved_at = $7,
          state = 'unknown', reason = $8, checked_at = NULL
        WHERE workspace_id = $1 AND id = $2`,
      values: [
        ...[workspaceId, id, sealed, session.cookies.length, session.expiresAt ?? null],
        ...[keyId, at, untested(session)],
      ],
    });
  }

  /** Notes what was found of a session, unless another has taken its place or later news of it are known. */
  async note(
    id: string,
    { version, state, reason, at }: LoginFinding & { readonly version: number; readonly at: Date },
  ): Promise<void> {
    await this.#pool.query({
      name: 'note-login',
      text: `
        UPDATE logins SET state = $3, reason = $4, checked_at = $5
        WHERE id = $1 AND session_version = $2 AND (checked_at IS NULL OR checked_at <= $5)`,
      values: [id, version, state, reason, at],
    });
  }

  /** Notes with which session a run is about to start. @returns false where there is no such login */
  async noteRun(workspaceId: string, id: string, runId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'note-login-run',
      text: `
        INSERT INTO login_runs (run_id, login_id, session_version)
        SELECT $3, id, session_version FROM logins WHERE workspace_id = $1 AND id = $2
        ON CONFLICT (run_id) DO UPDATE SET run_id = EXCLUDED.run_id`,
      values: [workspaceId, id, runId],
    });
    return (rowCount ?? 0) > 0;
  }

  /** The login goes and is told in one transaction. @returns the fact to send; undefined where there is none */
  async delete(workspaceId: string, id: string): Promise<Outgoing | undefined> {
    const told = outgoing(facts.loginDeleted, `login-deleted:${id}`, { loginId: id, workspaceId });
    const { ids, subjects, payloads, traces, awaiting } = outboxColumns([told]);
    const { rowCount } = await this.#pool.query({
      name: 'delete-login',
      text: `
        WITH gone AS (DELETE FROM logins WHERE workspace_id = $1 AND id = $2 RETURNING id)
        INSERT INTO outbox (id, subject, payload, trace, awaiting)
        SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
        FROM gone, unnest($3::text[], $4::text[], $5::bytea[], $6::jsonb[], $7::text[]) AS o(id, subject, payload, trace, awaiting)`,
      values: [workspaceId, id, ids, subjects, payloads, traces, awaiting],
    });
    return (rowCount ?? 0) > 0 ? told : undefined;
  }

  /** Forgets with which session runs of long ago were started. */
  async forgetOldRuns(): Promise<void> {
    await this.#pool.query('DELETE FROM login_runs WHERE noted_at < now() - make_interval(days => $1)', [
      REMEMBER_DAYS,
    ]);
  }
}
