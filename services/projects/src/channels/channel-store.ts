import type pg from 'pg';
import { CHANNEL_KEYS, type Channels, channelsOf } from '../domain/channels.ts';
import { joinConfig, type Seals } from '../store/project-record.ts';
import type { Reach } from '../store/project-store.ts';

const ROWS_AT_ONCE = 200;
/** Projects one list looks at: secrets tell only once they are open whether there is a channel among them. */
const MOST_ROWS = 2_000;

interface ChannelRow {
  readonly id: string;
  readonly name: string;
  readonly seed: string;
  readonly config: unknown;
  readonly secrets: Buffer | null;
}

export interface ChannelPage {
  readonly channels: readonly Channels[];
  /** The last project that was looked at; empty: there are no more. */
  readonly next: string;
}

/** Projects that tell somebody, as the callers that may see them see them. */
export class ChannelStore {
  readonly #pool: pg.Pool;
  readonly #seals: Seals;

  constructor(pool: pg.Pool, seals: Seals) {
    this.#pool = pool;
    this.#seals = seals;
  }

  /** Those with a webhook or a chat channel, newest first, from before `cursor` on. A page may hold fewer than wanted; `next` goes on. */
  async list(
    reach: Reach,
    { cursor, limit }: { readonly cursor: string; readonly limit: number },
  ): Promise<ChannelPage> {
    const channels: Channels[] = [];
    let next = cursor;
    for (let seen = 0; seen < MOST_ROWS; seen += ROWS_AT_ONCE) {
      const rows = await this.#rows(reach, next);
      for (const { id, name, seed, config, secrets } of rows) {
        if (channels.length === limit) return { channels, next };
        const found = channelsOf({ id, name, seed, config: joinConfig({ id, config, secrets }, this.#seals) });
        if (found.webhookUrl !== '' || found.chatUrl !== '') channels.push(found);
        next = id;
      }
      if (rows.length < ROWS_AT_ONCE) return { channels, next: '' };
    }
    return { channels, next };
  }

  /** Of their configs only what says who is told: the rest may be megabytes. */
  async #rows({ workspaceId, projects }: Reach, before: string): Promise<ChannelRow[]> {
    const { rows } = await this.#pool.query<ChannelRow>({
      name: 'list-channels',
      text: `
        SELECT id, name, seed, secrets,
          (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(config) WHERE key = ANY($4)) AS config
        FROM projects WHERE workspace_id = $1 AND ($2::text[] = '{}' OR id = ANY($2)) AND ($3 = '' OR id < $3)
          AND (jsonb_exists(config, 'webhook_url') OR secrets IS NOT NULL)
        ORDER BY id DESC LIMIT ${ROWS_AT_ONCE}`,
      values: [workspaceId, projects, before, CHANNEL_KEYS],
    });
    return rows;
  }
}
