import { projectLimitOf } from '@tidemark/contracts';
import type pg from 'pg';
import { CHANNEL_KEYS, type Channels, channelsOf } from '../domain/channels.ts';
import { joinConfig, type Seals } from '../store/project-record.ts';
import type { ProjectVisibility } from '../store/project-store.ts';

const ROW_BATCH = 200;
/** Rows read for one page: whether sealed secrets contain a channel is known only after they are opened. */
const MAX_ROWS = 2_000;

interface ChannelRow {
  readonly id: string;
  readonly name: string;
  readonly seed: string;
  readonly config: unknown;
  readonly secrets: Buffer | null;
}

export interface ChannelPage {
  readonly channels: readonly Channels[];
  /** The last project that was read; empty: this was the last page. */
  readonly next: string;
}

/** Reads projects that have notification channels. Limited to the projects the caller may see. */
export class ChannelStore {
  readonly #pool: pg.Pool;
  readonly #seals: Seals;

  constructor(pool: pg.Pool, seals: Seals) {
    this.#pool = pool;
    this.#seals = seals;
  }

  /** Returns projects with a webhook or a chat channel, newest first, older than `cursor`. A page may hold fewer than `limit`. */
  async list(
    visible: ProjectVisibility,
    { cursor, limit }: { readonly cursor: string; readonly limit: number },
  ): Promise<ChannelPage> {
    const channels: Channels[] = [];
    let next = cursor;
    for (let seen = 0; seen < MAX_ROWS; seen += ROW_BATCH) {
      const rows = await this.#rows(visible, next);
      for (const { id, name, seed, config, secrets } of rows) {
        if (channels.length === limit) return { channels, next };
        const found = channelsOf({ id, name, seed, config: joinConfig({ id, config, secrets }, this.#seals) });
        if (found.webhookUrl !== '' || found.chatUrl !== '') channels.push(found);
        next = id;
      }
      if (rows.length < ROW_BATCH) return { channels, next: '' };
    }
    return { channels, next };
  }

  /** Reads only the channel keys of each config: the rest may be megabytes. */
  async #rows({ workspaceId, access }: ProjectVisibility, before: string): Promise<ChannelRow[]> {
    const { rows } = await this.#pool.query<ChannelRow>({
      name: 'list-channels',
      text: `
        SELECT id, name, seed, secrets,
          (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(config) WHERE key = ANY($4)) AS config
        FROM projects WHERE workspace_id = $1 AND ($2::text[] IS NULL OR id = ANY($2)) AND ($3 = '' OR id < $3)
          AND secrets IS NOT NULL
        ORDER BY id DESC LIMIT ${ROW_BATCH}`,
      values: [workspaceId, projectLimitOf(access), before, CHANNEL_KEYS],
    });
    return rows;
  }
}
