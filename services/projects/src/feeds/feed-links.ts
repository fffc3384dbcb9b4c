import { createHash, randomBytes } from 'node:crypto';
import { actedBy, actorOf, type Caller, events, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { auditEvent, inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { changeRows, type Params, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { ProjectStore } from '../store/project-store.ts';
import { schema, tables } from '../store/tables.ts';

/** Active feed URLs per project, at most. */
const MAX_LINKS = 20;
const TOKEN_BYTES = 32;
const TOKEN_PREFIX = 'feed_';

/** A capability to read the change feed of one project. Its token is stored as a hash only. */
export interface FeedLink {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** Id of the key that created it. */
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** The feed that a token opens. */
export interface OpenedFeed {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
}

interface FeedLinksDeps {
  readonly pool: pg.Pool;
  readonly projects: Pick<ProjectStore, 'get'>;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
}

const OPEN = schema.prepare('open-feed-link', ({ tokenHash }: Params<{ readonly tokenHash: Buffer }>) =>
  tables
    .selectFrom('feed_links')
    .select(['id', 'workspace_id as workspaceId', 'project_id as projectId'])
    .where('token_hash', '=', tokenHash),
);

const noSuchFeed = (): AppError => new AppError('not_found', 'feed not found');

/** Creates, lists, revokes and opens the capability tokens of change feeds. */
export class FeedLinks {
  readonly #pool: pg.Pool;
  readonly #projects: Pick<ProjectStore, 'get'>;
  readonly #send: (events: readonly OutgoingEvent[]) => void;
  readonly #now: () => Date;

  constructor({ pool, projects, send, now }: FeedLinksDeps) {
    this.#pool = pool;
    this.#projects = projects;
    this.#send = send;
    this.#now = now;
  }

  /** Creates a token of 256 random bits, which is returned only here. @throws AppError not_found, conflict if the project has too many */
  async create(caller: Caller, projectId: string, name: string): Promise<{ link: FeedLink; token: string }> {
    await this.#projects.get(caller, projectId);
    const token = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    const link: FeedLink = { id: newId('fdl'), projectId, name, createdBy: actorOf(caller), createdAt: this.#now() };
    const entry = this.#entry(caller, 'feed.created', link.id);
    await inTransaction(this.#pool, async (client) => {
      // Serializes creations for one project, so that the limit holds.
      const project = await selectRow(
        client,
        tables.selectFrom('projects').select('id').where('id', '=', projectId).forUpdate(),
      );
      if (project === undefined) throw new AppError('not_found', 'project not found');
      const links = await selectRow(
        client,
        tables
          .selectFrom('feed_links')
          .select(sql<number>`count(*)::int`.as('count'))
          .where('project_id', '=', projectId),
      );
      if ((links?.count ?? 0) >= MAX_LINKS)
        throw new AppError('conflict', `the project has ${MAX_LINKS} feed URLs; revoke one first`);
      await changeRows(
        client,
        tables.insertInto('feed_links').values({
          id: link.id,
          workspace_id: caller.workspaceId,
          project_id: projectId,
          token_hash: hashToken(token),
          name,
          created_by: link.createdBy,
          created_at: link.createdAt,
        }),
      );
      await writeEvents(client, [entry]);
    });
    this.#send([entry]);
    return { link, token };
  }

  /** Lists the active tokens of a project, newest first. @throws AppError not_found */
  async list(caller: Caller, projectId: string): Promise<readonly FeedLink[]> {
    await this.#projects.get(caller, projectId);
    return selectRows(
      this.#pool,
      tables
        .selectFrom('feed_links')
        .select(['id', 'project_id as projectId', 'name', 'created_by as createdBy', 'created_at as createdAt'])
        .where('project_id', '=', projectId)
        .where('workspace_id', '=', caller.workspaceId)
        .orderBy('id', 'desc')
        .limit(MAX_LINKS),
    );
  }

  /** Deletes a token, which then opens nothing. @throws AppError not_found */
  async revoke(caller: Caller, projectId: string, id: string): Promise<void> {
    await this.#projects.get(caller, projectId);
    const entry = this.#entry(caller, 'feed.revoked', id);
    await inTransaction(this.#pool, async (client) => {
      const revoked = await changeRows(
        client,
        tables
          .deleteFrom('feed_links')
          .where('id', '=', id)
          .where('project_id', '=', projectId)
          .where('workspace_id', '=', caller.workspaceId),
      );
      if (revoked === 0) throw noSuchFeed();
      await writeEvents(client, [entry]);
    });
    this.#send([entry]);
  }

  #entry(caller: Caller, action: string, subjectId: string): OutgoingEvent {
    return auditEvent(events.projectsAudited, actedBy(caller), { action, subjectId, at: this.#now() });
  }

  /** Returns the feed of a token by its SHA-256. @throws AppError not_found for an unknown or revoked one */
  async open(tokenHash: Uint8Array): Promise<OpenedFeed> {
    const feed = await OPEN.row(this.#pool, { tokenHash: Buffer.from(tokenHash) });
    if (feed === undefined) throw noSuchFeed();
    return feed;
  }
}

const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
