import { newId, type Role } from '@tidemark/contracts';
import { changeRows, type Params, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { CODE_FRESH_SECONDS, LIFETIMES, MAX_SESSIONS } from '../domain/limits.ts';
import type { Queryable } from './queryable.ts';
import { schema, tables } from './tables.ts';

/** half: the password was right and the code of the second factor is missing. */
export type SessionState = 'half' | 'full';

export interface SessionRecord {
  readonly id: string;
  readonly userId: string;
  readonly state: SessionState;
  readonly workspaceId: string | null;
  /** Role in the workspace of the session; null if the person is no member of it. */
  readonly role: Role | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Time for which the last code counts as fresh, ms; 0 or less: it does not. */
  readonly codeFreshMs: number;
}

export interface NewSession {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly userId: string;
  readonly workspaceId: string | null;
  readonly state: SessionState;
  readonly hasShownCode: boolean;
  readonly client: SessionClient;
}

export interface SessionClient {
  readonly ip: string;
  readonly userAgent: string;
  /** Token of the session that the client had; absent: none. A new session ends it. */
  readonly sessionToken?: string | undefined;
}

export interface SessionItem {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly ip: string;
  readonly userAgent: string;
}

/** A session `s` ends at its absolute or its idle limit, or is ended. Times are the database's. */
const LIVE = sql<boolean>`s.ended_at IS NULL AND s.expires_at > now() AND s.last_seen_at > now() - make_interval(secs => ${sql.lit(LIFETIMES.idle)})`;
const NOW = sql<Date>`now()`;
/** Minimum time between two writes of `last_seen_at`, seconds. */
const SEEN_EVERY_SECONDS = 60;
/** Rows of one person, ended sessions included. */
const MAX_KEPT = 100;

/** Live sessions, with the role in their workspace. */
const SESSIONS = tables
  .selectFrom('sessions as s')
  .leftJoin('memberships as m', (join) =>
    join.onRef('m.workspace_id', '=', 's.workspace_id').onRef('m.user_id', '=', 's.user_id'),
  )
  .select([
    's.id',
    's.user_id as userId',
    's.state',
    's.workspace_id as workspaceId',
    'm.role',
    's.created_at as createdAt',
    's.expires_at as expiresAt',
    sql<number>`coalesce(${sql.lit(CODE_FRESH_SECONDS)} * 1000 - extract(epoch FROM now() - s.code_shown_at) * 1000, 0)::int`.as(
      'codeFreshMs',
    ),
  ])
  .where(LIVE);

const FIND_BY_TOKEN = schema.prepare('find-session-by-token', ({ tokenHash }: Params<{ readonly tokenHash: Buffer }>) =>
  SESSIONS.where('s.token_hash', '=', tokenHash),
);

const FIND = schema.prepare('find-session', ({ id }: Params<{ readonly id: string }>) =>
  SESSIONS.where('s.id', '=', id),
);

const RECORD_USE = schema.prepare('record-session-use', ({ id }: Params<{ readonly id: string }>) =>
  tables
    .updateTable('sessions')
    .set({ last_seen_at: NOW })
    .where('id', '=', id)
    .where('last_seen_at', '<', sql<Date>`now() - make_interval(secs => ${sql.lit(SEEN_EVERY_SECONDS)})`),
);

const AUDIT_CREATED = schema.prepareText(
  'audit-session',
  {},
  ({ id, auditId }: Params<{ readonly id: string; readonly auditId: string }>) => sql`
    INSERT INTO audit (id, workspace_id, actor_id, action, subject_id, ip, user_agent)
    SELECT ${auditId}, workspace_id, user_id, 'session.created', id, ip, user_agent FROM sessions
    WHERE id = ${id} AND state = 'full' AND workspace_id IS NOT NULL`,
);

const END_OLDEST = schema.prepareText(
  'end-oldest-sessions',
  {},
  ({ userId }: Params<{ readonly userId: string }>) => sql`
    WITH old AS (DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions WHERE user_id = ${userId} ORDER BY created_at DESC, id DESC OFFSET ${sql.lit(MAX_KEPT)}))
    UPDATE sessions SET ended_at = now() WHERE id IN (
      SELECT id FROM sessions s WHERE user_id = ${userId} AND ${LIVE} ORDER BY last_seen_at DESC, id DESC OFFSET ${sql.lit(MAX_SESSIONS)})`,
);

interface RotateValues {
  readonly id: string;
  readonly tokenHash: Buffer;
  readonly workspaceId: string | undefined;
  readonly codeShown: boolean;
  readonly auditId: string;
}

const ROTATE = schema.prepareText(
  'rotate-session',
  {},
  ({ id, tokenHash, workspaceId, codeShown, auditId }: Params<RotateValues>) => sql`
    WITH before AS (SELECT s.id, s.state, s.workspace_id FROM sessions s WHERE s.id = ${id} AND ${LIVE} FOR UPDATE),
    moved AS (
      UPDATE sessions s SET token_hash = ${tokenHash}, workspace_id = coalesce(${workspaceId}, s.workspace_id),
        code_shown_at = CASE WHEN ${codeShown}::boolean THEN now() ELSE s.code_shown_at END,
        expires_at = CASE WHEN ${codeShown}::boolean AND s.state = 'half' THEN now() + make_interval(secs => ${sql.lit(LIFETIMES.session)})
          ELSE s.expires_at END,
        state = CASE WHEN ${codeShown}::boolean THEN 'full' ELSE s.state END
      FROM before b WHERE s.id = b.id RETURNING s.*, b.state AS was, b.workspace_id AS was_in
    ), logged AS (
      INSERT INTO audit (id, workspace_id, actor_id, action, subject_id, ip, user_agent)
      SELECT ${auditId}, workspace_id, user_id, CASE WHEN was = state THEN 'session.switched' ELSE 'session.created' END, id, ip, user_agent
      FROM moved WHERE workspace_id IS NOT NULL AND (was <> state OR workspace_id IS DISTINCT FROM was_in)
    )
    SELECT FROM moved`,
);

interface EndValues {
  readonly userId: string;
  readonly id: string;
  readonly auditId: string;
}

const END = schema.prepareText(
  'end-session',
  {},
  ({ userId, id, auditId }: Params<EndValues>) => sql`
    WITH ended AS (
      UPDATE sessions SET ended_at = now() WHERE user_id = ${userId} AND id = ${id} AND ended_at IS NULL RETURNING *
    ), logged AS (
      INSERT INTO audit (id, workspace_id, actor_id, action, subject_id, ip, user_agent)
      SELECT ${auditId}, workspace_id, user_id, 'session.ended', id, ip, user_agent FROM ended WHERE state = 'full' AND workspace_id IS NOT NULL
    )
    SELECT FROM ended`,
);

/** Stores the sessions of people. */
export class SessionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  findByToken(tokenHash: Buffer): Promise<SessionRecord | undefined> {
    return FIND_BY_TOKEN.row(this.#pool, { tokenHash });
  }

  find(id: string, db: Queryable = this.#pool): Promise<SessionRecord | undefined> {
    return FIND.row(db, { id });
  }

  /** Returns whether a session was opened within this time. */
  async isRecent(id: string, seconds: number): Promise<boolean> {
    const recent = await selectRow(
      this.#pool,
      tables
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', id)
        .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${seconds})`),
    );
    return recent !== undefined;
  }

  /** Writes the time of a session's last use, at most once a minute. A failed write is ignored: the next use writes again. */
  recordUse(id: string): void {
    RECORD_USE.change(this.#pool, { id }).catch(() => undefined);
  }

  /** Creates a session and ends the oldest ones above `MAX_SESSIONS`. */
  async create(db: Queryable, session: NewSession): Promise<void> {
    const { id, tokenHash, userId, workspaceId, state, hasShownCode, client } = session;
    const seconds = state === 'half' ? LIFETIMES.halfSession : LIFETIMES.session;
    await changeRows(
      db,
      tables.insertInto('sessions').values({
        id,
        token_hash: tokenHash,
        user_id: userId,
        workspace_id: workspaceId,
        state,
        expires_at: sql<Date>`now() + make_interval(secs => ${seconds})`,
        code_shown_at: hasShownCode ? NOW : null,
        ip: client.ip.slice(0, 64),
        user_agent: client.userAgent.slice(0, 300),
      }),
    );
    await AUDIT_CREATED.change(db, { id, auditId: newId('aud') });
    await END_OLDEST.change(db, { userId });
  }

  /**
   * Replaces the token of a session, with what changes at the same time: its workspace, or a code that was shown. A half session becomes full.
   * @returns false if the session has ended, or if another request replaced the state first
   */
  rotate(db: Queryable, id: string, { tokenHash, workspaceId, codeShown = false }: RotateSession): Promise<boolean> {
    return ROTATE.changesRow(db, { id, tokenHash, workspaceId, codeShown, auditId: newId('aud') });
  }

  list(userId: string): Promise<SessionItem[]> {
    return selectRows(
      this.#pool,
      tables
        .selectFrom('sessions as s')
        .select(['id', 'created_at as createdAt', 'last_seen_at as lastSeenAt', 'ip', 'user_agent as userAgent'])
        .where('user_id', '=', userId)
        .where('state', '=', 'full')
        .where(LIVE)
        .orderBy('last_seen_at', 'desc')
        .orderBy('id', 'desc'),
    );
  }

  /** Returns whether the person has signed in from this address or with this program before, within the lifetime of sessions. */
  async knows(userId: string, { ip, userAgent }: SessionClient): Promise<{ ip: boolean; userAgent: boolean }> {
    const known = await selectRow(
      this.#pool,
      tables
        .selectFrom('sessions')
        .select([
          sql<boolean>`coalesce(bool_or(ip = ${ip.slice(0, 64)}), false)`.as('ip'),
          sql<boolean>`coalesce(bool_or(user_agent = ${userAgent.slice(0, 300)}), false)`.as('userAgent'),
        ])
        .where('user_id', '=', userId)
        .where('state', '=', 'full'),
    );
    return known ?? { ip: false, userAgent: false };
  }

  /** Ends one session of a person, with its entry in the audit log. @returns false if there is none */
  end(userId: string, id: string): Promise<boolean> {
    return END.changesRow(this.#pool, { userId, id, auditId: newId('aud') });
  }

  /** Ends the session of a token, which may be of another person or have ended. */
  async endOfToken(db: Queryable, tokenHash: Buffer): Promise<void> {
    await changeRows(
      db,
      tables
        .updateTable('sessions')
        .set({ ended_at: NOW })
        .where('token_hash', '=', tokenHash)
        .where('ended_at', 'is', null),
    );
  }

  /** Ends all sessions of a person, except one if its id is given. */
  async endAll(db: Queryable, userId: string, exceptId = ''): Promise<void> {
    await changeRows(
      db,
      tables
        .updateTable('sessions')
        .set({ ended_at: NOW })
        .where('user_id', '=', userId)
        .where('id', '<>', exceptId)
        .where('ended_at', 'is', null),
    );
  }

  /** Returns the workspace of the person's latest session, if they are still a member; otherwise the one they joined first. */
  async lastWorkspace(userId: string): Promise<string | null> {
    const last = await selectRow(
      this.#pool,
      tables
        .selectFrom('memberships as m')
        .leftJoin('sessions as s', (join) =>
          join.onRef('s.user_id', '=', 'm.user_id').onRef('s.workspace_id', '=', 'm.workspace_id'),
        )
        .select('m.workspace_id')
        .where('m.user_id', '=', userId)
        .orderBy('s.last_seen_at', (order) => order.desc().nullsLast())
        .orderBy('m.joined_at')
        .orderBy('m.workspace_id')
        .limit(1),
    );
    return last?.workspace_id ?? null;
  }

  /** Deletes a batch of sessions after their absolute limit. @returns their number */
  deleteExpired(): Promise<number> {
    return changeRows(
      this.#pool,
      tables
        .deleteFrom('sessions')
        .where('id', 'in', ({ selectFrom }) =>
          selectFrom('sessions').select('id').where('expires_at', '<', NOW).limit(500),
        ),
    );
  }
}

export interface RotateSession {
  readonly tokenHash: Buffer;
  readonly workspaceId?: string;
  /** A code of the second factor was shown now. */
  readonly codeShown?: boolean;
}
