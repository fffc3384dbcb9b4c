import { actorOf, type Caller, events } from '@tidemark/contracts';
import {
  insertEvents,
  inTransaction,
  type OutboxColumns,
  type OutgoingEvent,
  outboxColumns,
  outgoingEvent,
  writeEvents,
} from '@tidemark/service';
import { changeRows, type Params, type RowOfQuery, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from '../store/tables.ts';
import { type Login, type LoginFinding, type LoginReach, type NewLogin, untested } from './login.ts';
import type { Session } from './read-session.ts';

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

const LOGINS = tables
  .selectFrom('logins')
  .select([
    'id',
    'site',
    'name',
    'saved_by as savedBy',
    'saved_at as savedAt',
    'terms_accepted_at as termsAcceptedAt',
    'state',
    'reason',
    'checked_at as checkedAt',
    'cookies',
    'expires_at as expiresAt',
  ]);

const toLogin = ({ checkedAt, expiresAt, ...row }: RowOfQuery<typeof LOGINS>): Login => ({
  ...row,
  checkedAt: checkedAt ?? undefined,
  expiresAt: expiresAt ?? undefined,
});

/** Returns the condition on the logins that a caller may see. */
const visibleTo = ({ workspaceId, visibleIds }: LoginReach) =>
  sql<boolean>`workspace_id = ${workspaceId} AND (${visibleIds ?? null}::text[] IS NULL OR id = ANY(${visibleIds ?? null}))`;

interface DeleteValues extends OutboxColumns {
  readonly workspaceId: string;
  readonly id: string;
}

const DELETE = schema.prepareText(
  'delete-login',
  {},
  (values: Params<DeleteValues>) => sql`
    WITH deleted AS (DELETE FROM logins WHERE workspace_id = ${values.workspaceId} AND id = ${values.id} RETURNING id)
    ${insertEvents(values, 'deleted')}`,
);

/** Saved logins in PostgreSQL. Every query is limited to the logins the caller may see. */
export class LoginStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async count(workspaceId: string): Promise<number> {
    const logins = tables.selectFrom('logins').where('workspace_id', '=', workspaceId);
    return (await selectRow(this.#pool, logins.select(sql<number>`count(*)::int`.as('count'))))?.count ?? 0;
  }

  /** Stores a login and writes `outgoing` events in one transaction. */
  async create(
    { id, workspaceId, site, frontPage, name, savedBy, at, session }: NewLogin,
    sealed: Uint8Array,
    outgoing: readonly OutgoingEvent[],
  ): Promise<void> {
    await inTransaction(this.#pool, async (client) => {
      await changeRows(
        client,
        tables.insertInto('logins').values({
          id,
          workspace_id: workspaceId,
          site,
          front_page: frontPage,
          name,
          saved_by: savedBy,
          saved_at: at,
          terms_accepted_at: at,
          reason: untested(session),
          cookies: session.cookies.length,
          expires_at: session.expiresAt ?? null,
          session: Buffer.from(sealed),
        }),
      );
      await writeEvents(client, outgoing);
    });
  }

  async find(reach: LoginReach, id: string): Promise<Login | undefined> {
    const row = await selectRow(this.#pool, LOGINS.where(visibleTo(reach)).where('id', '=', id));
    return row === undefined ? undefined : toLogin(row);
  }

  /** Returns logins newest first, older than `before` where it is given. */
  async list(reach: LoginReach, before: string | undefined, limit: number): Promise<Login[]> {
    const visible = LOGINS.where(visibleTo(reach)).orderBy('id', 'desc').limit(limit);
    const rows = await selectRows(this.#pool, before === undefined ? visible : visible.where('id', '<', before));
    return rows.map(toLogin);
  }

  session(reach: LoginReach, id: string): Promise<SealedSession | undefined> {
    return selectRow(
      this.#pool,
      tables
        .selectFrom('logins')
        .select(['id', 'site', 'front_page as frontPage', 'session', 'session_version as version'])
        .where(visibleTo(reach))
        .where('id', '=', id),
    );
  }

  /** Renames a login, replaces its session and resets its state, or both, and writes `outgoing` events, in one transaction. */
  async change(caller: Caller, id: string, { name, replaced, outgoing }: LoginChange): Promise<void> {
    await inTransaction(this.#pool, async (client) => {
      const { workspaceId } = caller;
      const locked = tables
        .selectFrom('logins')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id);
      if ((await selectRow(client, locked.forUpdate())) === undefined) return;
      const login = tables.updateTable('logins').where('workspace_id', '=', workspaceId).where('id', '=', id);
      if (name !== undefined) await changeRows(client, login.set({ name }));
      if (replaced !== undefined)
        await changeRows(
          client,
          login.set(({ eb }) => ({
            session: Buffer.from(replaced.sealed),
            session_version: eb('session_version', '+', 1),
            cookies: replaced.session.cookies.length,
            expires_at: replaced.session.expiresAt ?? null,
            saved_by: actorOf(caller),
            saved_at: replaced.at,
            state: 'unknown',
            reason: untested(replaced.session),
            checked_at: null,
          })),
        );
      await writeEvents(client, outgoing);
    });
  }

  /** Stores the state of a session, unless the session was replaced or a later state is stored. */
  async note(
    id: string,
    { version, state, reason, at }: LoginFinding & { readonly version: number; readonly at: Date },
  ): Promise<void> {
    await changeRows(
      this.#pool,
      tables
        .updateTable('logins')
        .set({ state, reason, checked_at: at })
        .where('id', '=', id)
        .where('session_version', '=', version)
        .where((where) => where.or([where('checked_at', 'is', null), where('checked_at', '<=', at)])),
    );
  }

  /** Deletes a login and writes its event, with `more` events, in one transaction. @returns the events to send; undefined: no such login */
  async delete(workspaceId: string, id: string, more: readonly OutgoingEvent[]): Promise<OutgoingEvent[] | undefined> {
    const deleted = outgoingEvent(events.loginDeleted, `login-deleted:${id}`, { loginId: id, workspaceId });
    const outgoing = [deleted, ...more];
    const isDeleted = await DELETE.changesRow(this.#pool, { workspaceId, id, ...outboxColumns(outgoing) });
    return isDeleted ? outgoing : undefined;
  }
}
