import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type pg from 'pg';
import { pageKey } from '../domain/page-key.ts';
import type { KnownPage } from '../domain/page-reading.ts';
import type { PageAlias, RecordSink } from '../records/build/ports.ts';
import type { Entry } from '../records/entries/entry.ts';
import type { IgnoredBlock } from '../records/entries/ignored-block.ts';
import type { VolatilityChanges } from '../volatility/volatility-model.ts';
import { asLines } from './lines.ts';

/** Makes the sink that writes a record in the transaction of `client`. */
export function recordSink(client: pg.PoolClient, { runId, workspaceId, projectId }: RunFinished): RecordSink {
  let position = 0;
  let ignoredBefore = 0;
  return {
    entries: async (entries: readonly Entry[]) => {
      const first = position + 1;
      position += entries.length;
      await client.query({
        name: 'write-entries',
        text: `
          INSERT INTO entries (id, run_id, workspace_id, project_id, position, kind, delta_key, entry)
          SELECT e.id, $1, $2, $3, $4 + e.at::int - 1, e.kind, e.delta_key, e.entry
          FROM unnest($5::text[], $6::text[], $7::text[], $8::text[]) WITH ORDINALITY AS e(id, kind, delta_key, entry, at)`,
        values: [
          runId,
          workspaceId,
          projectId,
          first,
          entries.map(({ id }) => id),
          entries.map(({ kind }) => kind),
          entries.map(({ deltaKey }) => deltaKey),
          entries.map((entry) => JSON.stringify(entry)),
        ],
      });
    },
    knownPages: async (pages: readonly KnownPage[]) => {
      await client.query({
        name: 'write-known-pages',
        text: `
          INSERT INTO known_pages (project_id, page_key, page)
          SELECT $1, coalesce(k.page_key, ''), k.page
          FROM unnest(string_to_array($2, E'\\n'), string_to_array($3, E'\\n')) AS k(page_key, page)
          ON CONFLICT (project_id, page_key) DO UPDATE SET page = excluded.page`,
        values: [
          projectId,
          asLines(pages.map(({ pageKey }) => pageKey)),
          asLines(pages.map((page) => JSON.stringify(page))),
        ],
      });
    },
    aliases: async (aliases: readonly PageAlias[]) => {
      await client.query({
        name: 'write-aliases',
        text: `
          INSERT INTO aliases (project_id, from_key, to_key, reason, run_id)
          SELECT DISTINCT ON (a.from_key) $1, a.from_key, a.to_key, a.reason, a.run_id
          FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS a(from_key, to_key, reason, run_id)
          ON CONFLICT (project_id, from_key) DO UPDATE SET to_key = excluded.to_key, reason = excluded.reason, run_id = excluded.run_id`,
        values: [
          projectId,
          aliases.map(({ fromKey }) => fromKey),
          aliases.map(({ toKey }) => toKey),
          aliases.map(({ reason }) => reason),
          aliases.map((alias) => alias.runId),
        ],
      });
    },
    ignored: async (blocks: readonly IgnoredBlock[]) => {
      const first = ignoredBefore + 1;
      ignoredBefore += blocks.length;
      await client.query({
        name: 'write-ignored-blocks',
        text: `
          INSERT INTO ignored_blocks (id, run_id, workspace_id, project_id, position, page, block)
          SELECT b.id, $1, $2, $3, $4 + b.at::int - 1, b.page, b.block
          FROM unnest($5::text[], $6::text[], $7::text[]) WITH ORDINALITY AS b(id, page, block, at)`,
        values: [
          runId,
          workspaceId,
          projectId,
          first,
          blocks.map(({ id }) => id),
          pagesOf(blocks),
          blocks.map((block) => JSON.stringify(block)),
        ],
      });
    },
    volatility: (changes: VolatilityChanges) => writeVolatility(client, projectId, changes),
  };
}

/** Returns the key of each URL; changes of one page follow each other. */
function pagesOf(blocks: readonly IgnoredBlock[]): string[] {
  let [known, key] = ['', ''];
  return blocks.map(({ url }) => {
    if (url !== known) [known, key] = [url, pageKey(url)];
    return key;
  });
}

/** Stores learned volatility. */
export async function writeVolatility(
  client: pg.PoolClient,
  projectId: string,
  changes: VolatilityChanges,
): Promise<void> {
  const { anchors, removed, templates } = changes;
  await client.query({
    name: 'write-anchors',
    text: `
      INSERT INTO anchors (project_id, anchor, state) SELECT $1, a.* FROM unnest($2::text[], $3::text[]) AS a
      ON CONFLICT (project_id, anchor) DO UPDATE SET state = excluded.state`,
    values: [projectId, anchors.map(({ anchor }) => anchor), anchors.map((state) => JSON.stringify(state))],
  });
  await client.query({
    name: 'delete-anchors',
    text: 'DELETE FROM anchors WHERE project_id = $1 AND anchor = ANY($2)',
    values: [projectId, [...removed]],
  });
  await client.query({
    name: 'write-templates',
    text: `
      INSERT INTO templates (project_id, id, template) SELECT $1, t.* FROM unnest($2::text[], $3::text[]) AS t
      ON CONFLICT DO NOTHING`,
    values: [projectId, templates.map(({ id }) => id), templates.map((template) => JSON.stringify(template))],
  });
}
