import type { Caller } from '@tidemark/contracts';
import { type RowOfQuery, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { ConfigValues } from '../domain/config-values.ts';
import type { ProjectStore } from '../store/project-store.ts';
import { tables } from '../store/tables.ts';

/** One version of the config of a project. */
export interface ConfigVersion {
  readonly version: number;
  /** Secrets are masked: a version stores none. */
  readonly config: ConfigValues;
  /** Keys whose values differ from the version before. */
  readonly keys: readonly string[];
  /** Id of the key or person that made it. */
  readonly changedBy: string;
  readonly changedAt: Date;
  /** The version that it restored. */
  readonly restoredFrom: number | undefined;
}

export interface VersionRange {
  /** Versions older than this one; undefined: from the newest. */
  readonly before: number | undefined;
  readonly limit: number;
}

const VERSIONS = tables
  .selectFrom('config_versions')
  .select(['version', 'config', 'keys', 'changed_by', 'changed_at', 'restored_from']);
/** Bytes of configs in one response, unless the first is larger: a config may have 2 MB. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Reads the stored versions of configs. */
export class ConfigVersions {
  readonly #pool: pg.Pool;
  readonly #projects: Pick<ProjectStore, 'check'>;

  constructor(pool: pg.Pool, projects: Pick<ProjectStore, 'check'>) {
    this.#pool = pool;
    this.#projects = projects;
  }

  /** Lists versions, newest first. @throws AppError not_found */
  async list(
    caller: Caller,
    projectId: string,
    { before, limit }: VersionRange,
  ): Promise<{ versions: ConfigVersion[]; isMore: boolean }> {
    await this.#projects.check(caller, projectId);
    const rows = await selectRows(
      this.#pool,
      VERSIONS.select(
        sql<string>`sum(octet_length(config::text)) OVER (ORDER BY version DESC) - octet_length(config::text)`.as(
          'bytes_before',
        ),
      )
        .where('project_id', '=', projectId)
        .$if(before !== undefined, (older) => older.where('version', '<', before ?? null))
        .orderBy('version', 'desc')
        .limit(limit + 1),
    );
    const shown = rows.slice(0, limit).filter((row, i) => i === 0 || Number(row.bytes_before) < MAX_BYTES);
    return { versions: shown.map(toVersion), isMore: shown.length < rows.length };
  }

  /** Returns a stored version of a project that the caller may see. @throws AppError not_found for the project */
  async find(caller: Caller, projectId: string, version: number): Promise<ConfigVersion | undefined> {
    await this.#projects.check(caller, projectId);
    const row = await selectRow(
      this.#pool,
      VERSIONS.where('project_id', '=', projectId).where('version', '=', version),
    );
    return row && toVersion(row);
  }
}

const toVersion = (row: RowOfQuery<typeof VERSIONS>): ConfigVersion => ({
  version: row.version,
  config: row.config,
  keys: row.keys,
  changedBy: row.changed_by,
  changedAt: row.changed_at,
  restoredFrom: row.restored_from ?? undefined,
});
