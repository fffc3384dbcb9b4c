import { createHash, randomBytes } from 'node:crypto';
import { actedBy, actorOf, type Caller, events, newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { auditEvent, inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import type { ProjectStore } from '../store/project-store.ts';

/** Active feed addresses per project, at most. */
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

const COLUMNS = 'id, project_id AS "projectId", name, created_by AS "createdBy", created_at AS "createdAt"';

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
      const { rowCount } = await client.query('SELECT FROM projects WHERE id = $1 FOR UPDATE', [projectId]);
      if (rowCount === 0) throw new AppError('not_found', 'project not found');
      const { rows } = await client.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM feed_links WHERE project_id = $1',
        [projectId],
      );
      if ((rows[0]?.count ?? 0) >= MAX_LINKS)
        throw new AppError('conflict', `the project has ${MAX_LINKS} feed addresses; revoke one first`);
      await client.query(
        `INSERT INTO feed_links (id, workspace_id, project_id, token_hash, name, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [link.id, caller.workspaceId, projectId, hashToken(token), name, link.createdBy, link.createdAt],
      );
      await writeEvents(client, [entry]);
    });
    this.#send([entry]);
    return { link, token };
  }

  /** Lists the active tokens of a project, newest first. @throws AppError not_found */
  async list(caller: Caller, projectId: string): Promise<readonly FeedLink[]> {
    await this.#projects.get(caller, projectId);
    const { rows } = await this.#pool.query<FeedLink>({
      name: 'list-feed-links',
      text: `SELECT ${COLUMNS} FROM feed_links WHERE project_id = $1 AND workspace_id = $2 ORDER BY id DESC LIMIT ${MAX_LINKS}`,
      values: [projectId, caller.workspaceId],
    });
    return rows;
  }

  /** Deletes a token, which then opens nothing. @throws AppError not_found */
  async revoke(caller: Caller, projectId: string, id: string): Promise<void> {
    await this.#projects.get(caller, projectId);
    const entry = this.#entry(caller, 'feed.revoked', id);
    await inTransaction(this.#pool, async (client) => {
      const { rowCount } = await client.query({
        name: 'revoke-feed-link',
        text: 'DELETE FROM feed_links WHERE id = $1 AND project_id = $2 AND workspace_id = $3',
        values: [id, projectId, caller.workspaceId],
      });
      if (rowCount === 0) throw noSuchFeed();
      await writeEvents(client, [entry]);
    });
    this.#send([entry]);
  }

  #entry(caller: Caller, action: string, subjectId: string): OutgoingEvent {
    return auditEvent(events.projectsAudited, actedBy(caller), { action, subjectId, at: this.#now() });
  }

  /** Returns the feed of a token by its SHA-256. @throws AppError not_found for an unknown or revoked one */
  async open(tokenHash: Uint8Array): Promise<OpenedFeed> {
    const { rows } = await this.#pool.query<OpenedFeed>({
      name: 'open-feed-link',
      text: 'SELECT id, workspace_id AS "workspaceId", project_id AS "projectId" FROM feed_links WHERE token_hash = $1',
      values: [Buffer.from(tokenHash)],
    });
    const [feed] = rows;
    if (feed === undefined) throw noSuchFeed();
    return feed;
  }
}

const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
