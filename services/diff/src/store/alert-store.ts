import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { anyOf, type Database, type Params, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { digest, type Entry } from '../records/entries/entry.ts';
import { schema, tables } from './tables.ts';

/** A rule that an entry meets. */
export interface NewMatch {
  readonly alertId: string;
  readonly alertName: string;
  readonly entryId: string;
  readonly deltaKey: string;
  readonly pageKey: string;
  readonly cooldownMinutes: number;
  /** The run that the entry is compared with: a match since then is of the same change. */
  readonly baselineRunId: string;
}

/** A rule as a record names it. */
export interface EntryAlert {
  readonly id: string;
  readonly name: string;
}

/** A stored match. */
export interface StoredMatch extends EntryAlert {
  readonly entryId: string;
}

/** A stored match with its entry. */
export interface ListedMatch {
  readonly alert: EntryAlert;
  readonly entry: Entry;
  readonly position: number;
}

interface MatchValues {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly runId: string;
  readonly matchedAt: Date;
  readonly ids: readonly string[];
  readonly alertIds: readonly string[];
  readonly alertNames: readonly string[];
  readonly entryIds: readonly string[];
  readonly deltaKeys: readonly string[];
  readonly pageKeys: readonly string[];
  readonly cooldowns: readonly number[];
  readonly baselines: readonly string[];
}

/** A page matches a rule once in its cooldown, and once for a change that several records since the baseline found. */
const WRITE_MATCHES = schema.prepareText(
  'write-alert-matches',
  {},
  (values: Params<MatchValues>) => sql`
    INSERT INTO alert_matches
      (id, workspace_id, project_id, run_id, entry_id, alert_id, alert_name, delta_key, page_key, matched_at)
    SELECT m.id, ${values.workspaceId}, ${values.projectId}, ${values.runId}, m.entry_id, m.alert_id, m.alert_name, m.delta_key,
      m.page_key, ${values.matchedAt}
    FROM unnest(${values.ids}::text[], ${values.alertIds}::text[], ${values.alertNames}::text[], ${values.entryIds}::text[],
        ${values.deltaKeys}::text[], ${values.pageKeys}::text[], ${values.cooldowns}::int[], ${values.baselines}::text[])
      AS m(id, alert_id, alert_name, entry_id, delta_key, page_key, cooldown, baseline)
    WHERE NOT EXISTS (
      SELECT FROM alert_matches o
      WHERE o.project_id = ${values.projectId} AND o.alert_id = m.alert_id AND o.page_key = m.page_key AND o.run_id <> ${values.runId}
        AND (o.matched_at > ${values.matchedAt}::timestamptz - make_interval(mins => m.cooldown)
          OR (o.delta_key = m.delta_key AND o.run_id > m.baseline)))
    ON CONFLICT (id) DO NOTHING`,
);

/** Writes the matches of a record's entries in the transaction of the record. */
export async function writeMatches(
  client: Database,
  { runId, workspaceId, projectId, finishedAt }: RunFinished,
  matches: readonly NewMatch[],
): Promise<void> {
  if (matches.length === 0) return;
  await WRITE_MATCHES.change(client, {
    workspaceId,
    projectId,
    runId,
    matchedAt: finishedAt ?? new Date(0),
    ids: matches.map(({ alertId, entryId }) => `alm_${digest([projectId, runId, alertId, entryId])}`),
    alertIds: matches.map(({ alertId }) => alertId),
    alertNames: matches.map(({ alertName }) => alertName),
    entryIds: matches.map(({ entryId }) => entryId),
    deltaKeys: matches.map(({ deltaKey }) => deltaKey),
    pageKeys: matches.map(({ pageKey }) => pageKey),
    cooldowns: matches.map(({ cooldownMinutes }) => cooldownMinutes),
    baselines: matches.map(({ baselineRunId }) => baselineRunId),
  });
}

const MATCHES = tables.selectFrom('alert_matches as m').select(['m.entry_id', 'm.alert_id', 'm.alert_name']);

/** Returns the rules that each of some entries meets, by entry id. */
export async function alertsOfEntries(
  db: Database,
  entryIds: readonly string[],
): Promise<ReadonlyMap<string, readonly EntryAlert[]>> {
  if (entryIds.length === 0) return new Map();
  const rows = await selectRows(db, MATCHES.where('m.entry_id', '=', anyOf(entryIds)).orderBy('m.alert_id'));
  return Map.groupBy(rows.map(toMatch), ({ entryId }) => entryId);
}

/** The matches of runs. */
export class AlertStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the matches of a run in the order of its record, at most `limit`. */
  async ofRun({ workspaceId, projectId, runId }: RunRef, limit: number): Promise<ListedMatch[]> {
    const rows = await selectRows(
      this.#pool,
      MATCHES.innerJoin('entries as e', 'e.id', 'm.entry_id')
        .select(['e.entry', 'e.position'])
        .where('m.run_id', '=', runId)
        .where('m.workspace_id', '=', workspaceId)
        .where('m.project_id', '=', projectId)
        .orderBy('e.position')
        .orderBy('m.alert_id')
        .limit(limit),
    );
    return rows.map(({ alert_id: id, alert_name: name, entry, position }) => ({
      alert: { id, name },
      entry: JSON.parse(entry),
      position,
    }));
  }
}

const toMatch = ({ entry_id: entryId, alert_id: id, alert_name: name }: MatchRow): StoredMatch => ({
  entryId,
  id,
  name,
});

interface RunRef {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly runId: string;
}

interface MatchRow {
  readonly entry_id: string;
  readonly alert_id: string;
  readonly alert_name: string;
}
