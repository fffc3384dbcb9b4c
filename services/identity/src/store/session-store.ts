import { newId, type Role } from '@tidemark/contracts';
import type pg from 'pg';
import { CODE_FRESH_SECONDS, LIFETIMES, MAX_SESSIONS } from '../domain/limits.ts';
import type { Queryable } from './queryable.ts';

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
}

export interface SessionItem {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly ip: string;
  readonly userAgent: string;
}

/** A session ends at its absolute or its idle limit, or is ended. Times are the database's. */
const LIVE = `s.ended_at IS NULL AND s.expires_at > now() AND s.last_seen_at > now() - interval '${LIFETIMES.idle} seconds'`;
const COLUMNS = `s.id, s.user_id AS "userId", s.state, s.workspace_id AS "workspaceId", m.role, s.created_at AS "createdAt", s.expires_at AS "expiresAt",
  coalesce(${CODE_FRESH_SECONDS} * 1000 - extract(epoch FROM now() - s.code_shown_at) * 1000, 0)::int AS "codeFreshMs"`;
const WITH_ROLE = 'sessions s LEFT JOIN memberships m ON m.workspace_id = s.workspace_id AND m.user_id = s.user_id';
/** Minimum time between two writes of `last_seen_at`. */
const SEEN_EVERY = '1 minute';
/** Rows of one person, ended sessions included. */
const MAX_KEPT = 100;

/** Stores the sessions of people. */
export class SessionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async findByToken(tokenHash: Buffer): Promise<SessionRecord | undefined> {
    const { rows } = await this.#pool.query<SessionRecord>({
      name: 'find-session-by-token',
      text: `SELECT ${COLUMNS} FROM ${WITH_ROLE} WHERE s.token_hash = $1 AND ${LIVE}`,
      values: [tokenHash],
    });
    return rows[0];
  }

  async find(id: string, db: Queryable = this.#pool): Promise<SessionRecord | undefined> {
    const { rows } = await db.query<SessionRecord>({
      name: 'find-session',
      text: `SELECT ${COLUMNS} FROM ${WITH_ROLE} WHERE s.id = $1 AND ${LIVE}`,
      values: [id],
    });
    return rows[0];
  }

  /** Returns whether a session was opened within this time. */
  async isRecent(id: string, seconds: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'is-recent-session',
      text: 'SELECT 1 FROM sessions WHERE id = $1 AND created_at > now() - make_interval(secs => $2)',
      values: [id, seconds],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Writes the time of a session's last use, at most once a minute. A failed write is ignored: the next use writes again. */
  recordUse(id: string): void {
    this.#pool
      .query({
        name: 'record-session-use',
        text: `UPDATE sessions SET last_seen_at = now() WHERE id = $1 AND last_seen_at < now() - interval '${SEEN_EVERY}'`,
        values: [id],
      })
      .catch(() => undefined);
  }

  /** Creates a session and ends the oldest ones above `MAX_SESSIONS`. */
  async create(db: Queryable, session: NewSession): Promise<void> {
    const { id, tokenHash, userId, workspaceId, state, hasShownCode, client } = session;
    await db.query({
      name: 'create-session',
      text: `INSERT INTO sessions (id, token_hash, user_id, workspace_id, state, expires_at, code_shown_at, ip, user_agent)
        VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6), CASE WHEN $7::boolean THEN now() END, $8, $9)`,
      values: [
        id,
        tokenHash,
        userId,
        workspaceId,
        state,
        state === 'half' ? LIFETIMES.halfSession : LIFETIMES.session,
        hasShownCode,
        client.ip.slice(0, 64),
        client.userAgent.slice(0, 300),
      ],
    });
    await db.query({
      name: 'audit-session',
      text: `INSERT INTO audit (id, workspace_id, actor_id, action, subject_id, ip, user_agent)
        SELECT $2, workspace_id, user_id, 'session.created', id, ip, user_agent FROM sessions
        WHERE id = $1 AND state = 'full' AND workspace_id IS NOT NULL`,
      values: [id, newId('aud')],
    });
    await db.query({
      name: 'end-oldest-sessions',
      text: `WITH old AS (DELETE FROM sessions WHERE id IN (
          SELECT id FROM sessions WHERE user_id = $1 ORDER BY created_at DESC, id DESC OFFSET ${MAX_KEPT}))
        UPDATE sessions SET ended_at = now() WHERE id IN (
          SELECT id FROM sessions s WHERE user_id = $1 AND ${LIVE} ORDER BY last_seen_at DESC, id DESC OFFSET ${MAX_SESSIONS})`,
      values: [userId],
    });
  }

  /**
   * Replaces the token of a session, with what changes at the same time: its workspace, or a code that was shown. A half session becomes full.
   * @returns false if the session has ended, or if another request replaced the state first
   */
  async rotate(
    db: Queryable,
    id: string,
    { tokenHash, workspaceId, codeShown = false }: RotateSession,
  ): Promise<boolean> {
    const { rowCount } = await db.query({
      name: 'rotate-session',
      text: `
        WITH before AS (SELECT s.id, s.state, s.workspace_id FROM sessions s WHERE s.id = $1 AND ${LIVE} FOR UPDATE),
        moved AS (
          UPDATE sessions s SET token_hash = $2, workspace_id = coalesce($3, s.workspace_id),
            code_shown_at = CASE WHEN $4::boolean THEN now() ELSE s.code_shown_at END,
            expires_at = CASE WHEN $4::boolean AND s.state = 'half' THEN now() + make_interval(secs => $5) ELSE s.expires_at END,
            state = CASE WHEN $4::boolean THEN 'full' ELSE s.state END
          FROM before b WHERE s.id = b.id RETURNING s.*, b.state AS was, b.workspace_id AS was_in
        ), logged AS (
          INSERT INTO audit (id, workspace_id, actor_id, action, subject_id, ip, user_agent)
          SELECT $6, workspace_id, user_id, CASE WHEN was = state THEN 'session.switched' ELSE 'session.created' END, id, ip, user_agent
          FROM moved WHERE workspace_id IS NOT NULL AND (was <> state OR workspace_id IS DISTINCT FROM was_in)
        )
        SELECT 1 FROM moved`,
      values: [id, tokenHash, workspaceId ?? null, codeShown, LIFETIMES.session, newId('aud')],
    });
    return (rowCount ?? 0) > 0;
  }

  async list(userId: string): Promise<SessionItem[]> {
    const { rows } = await this.#pool.query<SessionItem>({
      name: 'list-sessions',
      text: `SELECT id, created_at AS "createdAt", last_seen_at AS "lastSeenAt", ip, user_agent AS "userAgent"
        FROM sessions s WHERE user_id = $1 AND state = 'full' AND ${LIVE} ORDER BY last_seen_at DESC, id DESC`,
      values: [userId],
    });
    return rows;
  }

  /** Returns whether the person has signed in from this address or with this program before, within the lifetime of sessions. */
  async knows(userId: string, { ip, userAgent }: SessionClient): Promise<{ ip: boolean; userAgent: boolean }> {
    const { rows } = await this.#pool.query<{ ip: boolean; userAgent: boolean }>({
      name: 'known-client',
      text: `SELECT coalesce(bool_or(ip = $2), false) AS ip, coalesce(bool_or(user_agent = $3), false) AS "userAgent"
        FROM sessions WHERE user_id = $1 AND state = 'full'`,
      values: [userId, ip.slice(0, 64), userAgent.slice(0, 300)],
    });
    return rows[0] ?? { ip: false, userAgent: false };
  }

  /** Ends one session of a person, with its entry in the audit log. @returns false if there is none */
  async end(userId: string, id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'end-session',
      text: `
        WITH ended AS (
          UPDATE sessions SET ended_at = now() WHERE user_id = $1 AND id = $2 AND ended_at IS NULL RETURNING *
        ), logged AS (
          INSERT INTO audit (id, workspace_id, actor_id, action, subject_id, ip, user_agent)
          SELECT $3, workspace_id, user_id, 'session.ended', id, ip, user_agent FROM ended WHERE state = 'full' AND workspace_id IS NOT NULL
        )
        SELECT 1 FROM ended`,
      values: [userId, id, newId('aud')],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Ends all sessions of a person, except one if its id is given. */
  async endAll(db: Queryable, userId: string, exceptId = ''): Promise<void> {
    await db.query({
      name: 'end-sessions',
      text: 'UPDATE sessions SET ended_at = now() WHERE user_id = $1 AND id <> $2 AND ended_at IS NULL',
      values: [userId, exceptId],
    });
  }

  /** Returns the workspace of the person's latest session, if they are still a member; otherwise the one they joined first. */
  async lastWorkspace(userId: string): Promise<string | null> {
    const { rows } = await this.#pool.query<{ workspace_id: string }>({
      name: 'last-workspace',
      text: `SELECT m.workspace_id FROM memberships m
        LEFT JOIN sessions s ON s.user_id = m.user_id AND s.workspace_id = m.workspace_id
        WHERE m.user_id = $1 ORDER BY s.last_seen_at DESC NULLS LAST, m.joined_at, m.workspace_id LIMIT 1`,
      values: [userId],
    });
    return rows[0]?.workspace_id ?? null;
  }

  /** Deletes a batch of sessions after their absolute limit. @returns their number */
  async deleteExpired(): Promise<number> {
    const { rowCount } = await this.#pool.query(
      'DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < now() LIMIT 500)',
    );
    return rowCount ?? 0;
  }
}

export interface RotateSession {
  readonly tokenHash: Buffer;
  readonly workspaceId?: string;
  /** A code of the second factor was shown now. */
  readonly codeShown?: boolean;
}
