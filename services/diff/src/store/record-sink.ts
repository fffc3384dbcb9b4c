import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { anyOf, type Database, type Params, sql } from '@tidemark/sql';
import { pageKey } from '../domain/page-key.ts';
import type { KnownPage } from '../domain/page-reading.ts';
import type { PageAlias, RecordSink } from '../records/build/ports.ts';
import type { Entry, EntryKind } from '../records/entries/entry.ts';
import type { IgnoredBlock } from '../records/entries/ignored-block.ts';
import type { VolatilityChanges } from '../volatility/volatility-model.ts';
import { asLines } from './lines.ts';
import { schema, tables } from './tables.ts';

interface RunValues {
  readonly runId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  /** Position of the first row in the record. */
  readonly first: number;
}

interface EntryValues extends RunValues {
  readonly ids: readonly string[];
  readonly kinds: readonly EntryKind[];
  readonly deltaKeys: readonly string[];
  readonly entries: readonly string[];
  /** JSON; null: none. */
  readonly pageStates: readonly (string | null)[];
}

const WRITE_ENTRIES = schema.prepareText(
  'write-entries',
  {},
  ({ runId, workspaceId, projectId, first, ids, kinds, deltaKeys, entries, pageStates }: Params<EntryValues>) => sql`
    INSERT INTO entries (id, run_id, workspace_id, project_id, position, kind, delta_key, entry, page_states)
    SELECT e.id, ${runId}, ${workspaceId}, ${projectId}, ${first} + e.at::int - 1, e.kind, e.delta_key, e.entry, e.page_states
    FROM unnest(${ids}::text[], ${kinds}::text[], ${deltaKeys}::text[], ${entries}::text[], ${pageStates}::text[])
      WITH ORDINALITY AS e(id, kind, delta_key, entry, page_states, at)`,
);

interface KnownPageValues {
  readonly projectId: string;
  /** Keys and pages as lines. */
  readonly pageKeys: string;
  readonly pages: string;
}

const WRITE_KNOWN_PAGES = schema.prepareText(
  'write-known-pages',
  {},
  ({ projectId, pageKeys, pages }: Params<KnownPageValues>) => sql`
    INSERT INTO known_pages (project_id, page_key, page)
    SELECT ${projectId}, coalesce(k.page_key, ''), k.page
    FROM unnest(string_to_array(${pageKeys}, E'\\n'), string_to_array(${pages}, E'\\n')) AS k(page_key, page)
    ON CONFLICT (project_id, page_key) DO UPDATE SET page = excluded.page`,
);

interface AliasValues {
  readonly projectId: string;
  readonly fromKeys: readonly string[];
  readonly toKeys: readonly string[];
  readonly reasons: readonly PageAlias['reason'][];
  readonly runIds: readonly string[];
}

const WRITE_ALIASES = schema.prepareText(
  'write-aliases',
  {},
  ({ projectId, fromKeys, toKeys, reasons, runIds }: Params<AliasValues>) => sql`
    INSERT INTO aliases (project_id, from_key, to_key, reason, run_id)
    SELECT DISTINCT ON (a.from_key) ${projectId}, a.from_key, a.to_key, a.reason, a.run_id
    FROM unnest(${fromKeys}::text[], ${toKeys}::text[], ${reasons}::text[], ${runIds}::text[]) AS a(from_key, to_key, reason, run_id)
    ON CONFLICT (project_id, from_key) DO UPDATE SET to_key = excluded.to_key, reason = excluded.reason, run_id = excluded.run_id`,
);

interface IgnoredValues extends RunValues {
  readonly ids: readonly string[];
  /** Keys of the URLs. */
  readonly pages: readonly string[];
  readonly blocks: readonly string[];
}

const WRITE_IGNORED_BLOCKS = schema.prepareText(
  'write-ignored-blocks',
  {},
  ({ runId, workspaceId, projectId, first, ids, pages, blocks }: Params<IgnoredValues>) => sql`
    INSERT INTO ignored_blocks (id, run_id, workspace_id, project_id, position, page, block)
    SELECT b.id, ${runId}, ${workspaceId}, ${projectId}, ${first} + b.at::int - 1, b.page, b.block
    FROM unnest(${ids}::text[], ${pages}::text[], ${blocks}::text[]) WITH ORDINALITY AS b(id, page, block, at)`,
);

interface AnchorValues {
  readonly projectId: string;
  readonly anchors: readonly string[];
  readonly states: readonly string[];
}

const WRITE_ANCHORS = schema.prepareText(
  'write-anchors',
  {},
  ({ projectId, anchors, states }: Params<AnchorValues>) => sql`
    INSERT INTO anchors (project_id, anchor, state)
    SELECT ${projectId}, a.anchor, a.state FROM unnest(${anchors}::text[], ${states}::text[]) AS a(anchor, state)
    ON CONFLICT (project_id, anchor) DO UPDATE SET state = excluded.state`,
);

const DELETE_ANCHORS = schema.prepare(
  'delete-anchors',
  ({ projectId, anchors }: Params<{ readonly projectId: string; readonly anchors: readonly string[] }>) =>
    tables.deleteFrom('anchors').where('project_id', '=', projectId).where('anchor', '=', anyOf(anchors)),
);

interface TemplateValues {
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly templates: readonly string[];
}

const WRITE_TEMPLATES = schema.prepareText(
  'write-templates',
  {},
  ({ projectId, ids, templates }: Params<TemplateValues>) => sql`
    INSERT INTO templates (project_id, id, template)
    SELECT ${projectId}, t.id, t.template FROM unnest(${ids}::text[], ${templates}::text[]) AS t(id, template)
    ON CONFLICT DO NOTHING`,
);

/** Makes the sink that writes a record in the transaction of `client`. */
export function recordSink(client: Database, { runId, workspaceId, projectId }: RunFinished): RecordSink {
  let position = 0;
  let ignoredBefore = 0;
  return {
    entries: async (entries: readonly Entry[]) => {
      const first = position + 1;
      position += entries.length;
      await WRITE_ENTRIES.change(client, {
        runId,
        workspaceId,
        projectId,
        first,
        ids: entries.map(({ id }) => id),
        kinds: entries.map(({ kind }) => kind),
        deltaKeys: entries.map(({ deltaKey }) => deltaKey),
        // In a column of its own, so that lists of changes do not read it.
        entries: entries.map(({ pageStates: _, ...entry }) => JSON.stringify(entry)),
        pageStates: entries.map(({ pageStates }) => (pageStates === undefined ? null : JSON.stringify(pageStates))),
      });
    },
    knownPages: async (pages: readonly KnownPage[]) => {
      await WRITE_KNOWN_PAGES.change(client, {
        projectId,
        pageKeys: asLines(pages.map(({ pageKey }) => pageKey)),
        pages: asLines(pages.map((page) => JSON.stringify(page))),
      });
    },
    aliases: async (aliases: readonly PageAlias[]) => {
      await WRITE_ALIASES.change(client, {
        projectId,
        fromKeys: aliases.map(({ fromKey }) => fromKey),
        toKeys: aliases.map(({ toKey }) => toKey),
        reasons: aliases.map(({ reason }) => reason),
        runIds: aliases.map((alias) => alias.runId),
      });
    },
    ignored: async (blocks: readonly IgnoredBlock[]) => {
      const first = ignoredBefore + 1;
      ignoredBefore += blocks.length;
      await WRITE_IGNORED_BLOCKS.change(client, {
        runId,
        workspaceId,
        projectId,
        first,
        ids: blocks.map(({ id }) => id),
        pages: pagesOf(blocks),
        blocks: blocks.map((block) => JSON.stringify(block)),
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
  client: Database,
  projectId: string,
  { anchors, removed, templates }: VolatilityChanges,
): Promise<void> {
  await WRITE_ANCHORS.change(client, {
    projectId,
    anchors: anchors.map(({ anchor }) => anchor),
    states: anchors.map((state) => JSON.stringify(state)),
  });
  await DELETE_ANCHORS.change(client, { projectId, anchors: [...removed] });
  await WRITE_TEMPLATES.change(client, {
    projectId,
    ids: templates.map(({ id }) => id),
    templates: templates.map((template) => JSON.stringify(template)),
  });
}
