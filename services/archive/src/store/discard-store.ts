import { noteUnnamed } from '@tidemark/blobs';
import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import { PageRow } from '@tidemark/contracts/page/v1/page';
import { inTransaction, whileDatabaseAway } from '@tidemark/service';
import type pg from 'pg';
import { oldestIdAt } from '../domain/page-age.ts';
import { blobKey, blobsOf, keysOf } from './blob-keys.ts';

/** Pages thrown away, or looked at, in one statement. */
const PAGES_AT_ONCE = 1_000;
/** Longer than a page that ended with its run can be on its way here. */
const LAST_LOOK_HOURS = 48;

interface Thrown {
  readonly row: Buffer;
}

/** Throws pages away, a bounded number at a time; what they named is noted in the same transaction. */
export class DiscardStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Notes runs of which nothing is to be kept. Safe to repeat. */
  async note(runs: readonly RunDiscarded[]): Promise<void> {
    const values = [runs.map(({ runId }) => runId), runs.map(({ workspaceId }) => workspaceId)];
    const text = `
      INSERT INTO discarded_runs (job_id, workspace_id, due) SELECT r.job_id, r.workspace_id, date_trunc('milliseconds', now())
      FROM unnest($1::text[], $2::text[]) AS r(job_id, workspace_id) ON CONFLICT DO NOTHING`;
    await whileDatabaseAway(() => this.#pool.query({ name: 'note-discarded', text, values }), 20_000);
  }

  /** Throws away some pages of one discarded run. @returns false where no run is due */
  discardSome(): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<{ job_id: string; workspace_id: string; emptied: boolean }>({
        name: 'take-discarded',
        text: `
          SELECT job_id, workspace_id, emptied_at IS NOT NULL AS emptied FROM discarded_runs
          WHERE due <= now() ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED`,
      });
      const run = rows[0];
      if (run === undefined) return false;
      const { rows: thrown } = await client.query<Thrown>({
        name: 'discard-pages',
        text: `
          DELETE FROM pages WHERE id IN (
            SELECT id FROM pages WHERE workspace_id = $1 AND job_id = $2 LIMIT $3)
          RETURNING row`,
        values: [run.workspace_id, run.job_id, PAGES_AT_ONCE],
      });
      await unname(client, thrown);
      if (thrown.length < PAGES_AT_ONCE) await this.#emptied(client, run.job_id, run.emptied);
      return true;
    });
  }

  /** A run is looked at once more before it is forgotten: a page told late comes without its run. */
  async #emptied(client: pg.PoolClient, jobId: string, wasEmptied: boolean): Promise<void> {
    const text = wasEmptied
      ? 'DELETE FROM discarded_runs WHERE job_id = $1'
      : `UPDATE discarded_runs SET emptied_at = now(), due = now() + make_interval(hours => ${LAST_LOOK_HOURS}) WHERE job_id = $1`;
    await client.query({ name: wasEmptied ? 'forget-discarded' : 'empty-discarded', text, values: [jobId] });
  }

  /** Throws away some pages of scrapes and batches from before this moment. @returns false where there are no more */
  expireSome(before: Date): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<Thrown>({
        name: 'expire-pages',
        text: `
          DELETE FROM pages WHERE id IN (
            SELECT id FROM pages WHERE job_id LIKE 'job\\_%' AND id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
          RETURNING row`,
        values: [oldestIdAt(before), PAGES_AT_ONCE],
      });
      await unname(client, rows);
      return rows.length === PAGES_AT_ONCE;
    });
  }

  /** Writes down what some pages from before name. @returns false where there are none left */
  async keySome(): Promise<boolean> {
    const { rows } = await this.#pool.query<{ id: string; row: Buffer }>({
      name: 'unkeyed-pages',
      text: 'SELECT id, row FROM pages WHERE content_key IS NULL ORDER BY id LIMIT $1',
      values: [PAGES_AT_ONCE],
    });
    if (rows.length === 0) return false;
    const keys = rows.map(({ row }) => keysOf(PageRow.decode(row)));
    await this.#pool.query({
      name: 'key-pages',
      text: `
        UPDATE pages p SET content_key = k.content, screenshot_key = k.screenshot, evidence_key = k.evidence
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS k(id, content, screenshot, evidence) WHERE p.id = k.id`,
      values: [
        rows.map(({ id }) => id),
        keys.map(({ content }) => content),
        keys.map(({ screenshot }) => screenshot),
        keys.map(({ evidence }) => evidence),
      ],
    });
    return true;
  }

  /** Which of these blobs some page names. */
  async named(sha256s: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ sha256: string }>({
      name: 'named-blobs',
      text: `
        SELECT k.sha256 FROM unnest($1::text[], $2::bigint[]) AS k(sha256, key) CROSS JOIN LATERAL (
          (SELECT FROM pages WHERE content_key = k.key AND content_key <> 0 LIMIT 1)
          UNION ALL (SELECT FROM pages WHERE screenshot_key = k.key AND screenshot_key <> 0 LIMIT 1)
          UNION ALL (SELECT FROM pages WHERE evidence_key = k.key AND evidence_key <> 0 LIMIT 1)
          LIMIT 1) AS named`,
      values: [[...sha256s], sha256s.map(blobKey)],
    });
    return new Set(rows.map(({ sha256 }) => sha256));
  }
}

const unname = (client: pg.PoolClient, thrown: readonly Thrown[]): Promise<void> =>
  noteUnnamed(
    client,
    thrown.flatMap(({ row }) => blobsOf(PageRow.decode(row))),
  );
