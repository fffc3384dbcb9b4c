import { actorOf, type Caller, events } from '@tidemark/contracts';
import { inTransaction, type OutgoingEvent, outboxColumns, outgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { z } from 'zod';
import { LOGIN_STATES, type Login, type LoginFinding, type LoginReach, type NewLogin, untested } from './login.ts';
import type { Session } from './read-session.ts';

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
}

/** What changes of a login. */
interface LoginChange {
  /** Undefined: unchanged. */
  readonly name: string | undefined;
  readonly replaced: { readonly session: Session; readonly sealed: Uint8Array; readonly at: Date } | undefined;
  readonly outgoing: readonly OutgoingEvent[];
}

/** A stored session. */
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
});

const COLUMNS = 'id, site, name, saved_by, saved_at, terms_accepted_at, state, reason, checked_at, cookies, expires_at';
const VISIBLE = 'workspace_id = $1 AND ($2::text[] IS NULL OR id = ANY($2))';

/** Saved logins in PostgreSQL. Every query is limited to the logins the caller may see. */
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

  /** Stores a login and writes `outgoing` events in one transaction. */
  async create(
    { id, workspaceId, site, frontPage, name, savedBy, at, session }: NewLogin,
    sealed: Uint8Array,
    outgoing: readonly OutgoingEvent[],
  ): Promise<void> {
    await inTransaction(this.#pool, async (client) => {
      await client.query({
        name: 'create-login',
        text: `
          INSERT INTO logins (id, workspace_id, site, front_page, name, saved_by, saved_at, terms_accepted_at, reason, cookies, expires_at, session)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11)`,
        values: [
          id,
          workspaceId,
          site,
          frontPage,
          name,
          savedBy,
          at,
          untested(session),
          session.cookies.length,
          session.expiresAt ?? null,
          sealed,
        ],
      });
      await writeEvents(client, outgoing);
    });
  }

  async find({ workspaceId, visibleIds }: LoginReach, id: string): Promise<Login | undefined> {
    const { rows } = await this.#pool.query<LoginRow>({
      name: 'find-login',
      text: `SELECT ${COLUMNS} FROM logins WHERE ${VISIBLE} AND id = $3`,
      values: [workspaceId, visibleIds ?? null, id],
    });
    return rows[0] === undefined ? undefined : toLogin(rows[0]);
  }

  /** Returns logins newest first, older than `before` unless it is empty. */
  async list({ workspaceId, visibleIds }: LoginReach, before: string, limit: number): Promise<Login[]> {
    const { rows } = await this.#pool.query<LoginRow>({
      name: 'list-logins',
      text: `SELECT ${COLUMNS} FROM logins WHERE ${VISIBLE} AND ($3 = '' OR id < $3) ORDER BY id DESC LIMIT $4`,
      values: [workspaceId, visibleIds ?? null, before, limit],
    });
    return rows.map(toLogin);
  }

  async session({ workspaceId, visibleIds }: LoginReach, id: string): Promise<SealedSession | undefined> {
    const { rows } = await this.#pool.query<SealedSession>({
      name: 'login-session',
      text: `
        SELECT id, site, front_page AS "frontPage", session, session_version AS version
        FROM logins WHERE ${VISIBLE} AND id = $3`,
      values: [workspaceId, visibleIds ?? null, id],
    });
    return rows[0];
  }

  /** Renames a login, replaces its session and resets its state, or both, and writes `outgoing` events, in one transaction. */
  async change(caller: Caller, id: string, { name, replaced, outgoing }: LoginChange): Promise<void> {
    await inTransaction(this.#pool, async (client) => {
      const lock = 'SELECT 1 FROM logins WHERE workspace_id = $1 AND id = $2 FOR UPDATE';
      const { rowCount } = await client.query({ name: 'lock-login', text: lock, values: [caller.workspaceId, id] });
      if (rowCount === 0) return;
      if (name !== undefined)
        await client.query({
          name: 'rename-login',
          text: 'UPDATE logins SET name = $3 WHERE workspace_id = $1 AND id = $2',
          values: [caller.workspaceId, id, name],
        });
      if (replaced !== undefined)
        await client.query({
          name: 'replace-session',
          text: `
            UPDATE logins SET session = $3, session_version = session_version + 1, cookies = $4, expires_at = $5, saved_by = $6, saved_at = $7,
              state = 'unknown', reason = $8, checked_at = NULL
            WHERE workspace_id = $1 AND id = $2`,
          values: [
            caller.workspaceId,
            id,
            replaced.sealed,
            replaced.session.cookies.length,
            replaced.session.expiresAt ?? null,
            actorOf(caller),
            replaced.at,
            untested(replaced.session),
          ],
        });
      await writeEvents(client, outgoing);
    });
  }

  /** Stores the state of a session, unless the session was replaced or a later state is stored. */
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

  /** Deletes a login and writes its event, with `more` events, in one transaction. @returns the events to send; undefined: no such login */
  async delete(workspaceId: string, id: string, more: readonly OutgoingEvent[]): Promise<OutgoingEvent[] | undefined> {
    const deleted = outgoingEvent(events.loginDeleted, `login-deleted:${id}`, { loginId: id, workspaceId });
    const outgoing = [deleted, ...more];
    const { ids, subjects, payloads, traces, awaiting } = outboxColumns(outgoing);
    const { rowCount } = await this.#pool.query({
      name: 'delete-login',
      text: `
        WITH deleted AS (DELETE FROM logins WHERE workspace_id = $1 AND id = $2 RETURNING id)
        INSERT INTO outbox (id, subject, payload, trace, awaiting)
        SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
        FROM deleted, unnest($3::text[], $4::text[], $5::bytea[], $6::jsonb[], $7::text[]) AS o(id, subject, payload, trace, awaiting)`,
      values: [workspaceId, id, ids, subjects, payloads, traces, awaiting],
    });
    return (rowCount ?? 0) > 0 ? outgoing : undefined;
  }
}
