import { anyOf, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { CHANNEL_KEYS, type Channels, channelsOf } from '../domain/channels.ts';
import type { ConfigValues } from '../domain/config-values.ts';
import { joinConfig, type Seals } from '../store/project-record.ts';
import { type ProjectVisibility, selectVisible } from '../store/visible-projects.ts';

const ROW_BATCH = 200;
/** Rows read for one page: whether sealed secrets contain a channel is known only after they are opened. */
const MAX_ROWS = 2_000;

export interface ChannelPage {
  readonly channels: readonly Channels[];
  /** The last project that was read; undefined: this was the last page. */
  readonly next: string | undefined;
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
    { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
  ): Promise<ChannelPage> {
    const channels: Channels[] = [];
    let next = cursor;
    for (let seen = 0; seen < MAX_ROWS; seen += ROW_BATCH) {
      const rows = await selectRows(this.#pool, selectSealed(visible, next));
      for (const { id, name, seed, timezone, config, secrets } of rows) {
        if (channels.length === limit) return { channels, next };
        const found = channelsOf({
          id,
          name,
          seed,
          timezone,
          config: joinConfig({ id, config, secrets }, this.#seals),
        });
        if (found.webhookUrl !== undefined || found.chatUrl !== undefined) channels.push(found);
        next = id;
      }
      if (rows.length < ROW_BATCH) return { channels, next: undefined };
    }
    return { channels, next };
  }
}

/** Selects a batch of projects with sealed secrets, and only the channel keys of each config: the rest may be megabytes. */
const selectSealed = (visible: ProjectVisibility, before: string | undefined) =>
  selectVisible(visible)
    .select(['id', 'name', 'seed', 'timezone', 'secrets'])
    .select(({ fn, selectFrom }) =>
      selectFrom(fn<{ key: string; value: unknown }>('jsonb_each', ['config']).as('setting'))
        .select(sql<ConfigValues>`coalesce(jsonb_object_agg(key, value), '{}')`.as('config'))
        .where('setting.key', '=', anyOf(CHANNEL_KEYS))
        .as('config'),
    )
    .where('secrets', 'is not', null)
    .$if(before !== undefined, (older) => older.where('id', '<', before ?? null))
    .orderBy('id', 'desc')
    .limit(ROW_BATCH);
