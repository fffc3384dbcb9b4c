import type { Caller } from '@tidemark/contracts';
import type pg from 'pg';
import { z } from 'zod';
import type { ConfigValues } from '../domain/config-values.ts';
import type { ProjectStore } from '../store/project-store.ts';

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
  /** Versions older than this one; 0: from the newest. */
  readonly before: number;
  readonly limit: number;
}

interface VersionRow {
  readonly version: number;
  readonly config: unknown;
  readonly keys: string[];
  readonly changed_by: string;
  readonly changed_at: Date;
  readonly restored_from: number | null;
}

const COLUMNS = 'version, config, keys, changed_by, changed_at, restored_from';
const Values = z.record(z.string(), z.unknown());
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
    const { rows } = await this.#pool.query<VersionRow & { readonly bytes_before: string }>({
      name: 'list-config-versions',
      text: `
        SELECT ${COLUMNS}, sum(octet_length(config::text)) OVER (ORDER BY version DESC) - octet_length(config::text) AS bytes_before
        FROM config_versions WHERE project_id = $1 AND ($2::int = 0 OR version < $2) ORDER BY version DESC LIMIT $3`,
      values: [projectId, before, limit + 1],
    });
    const shown = rows.slice(0, limit).filter((row, i) => i === 0 || Number(row.bytes_before) < MAX_BYTES);
    return { versions: shown.map(toVersion), isMore: shown.length < rows.length };
  }

  /** Returns a stored version of a project that the caller may see. @throws AppError not_found for the project */
  async find(caller: Caller, projectId: string, version: number): Promise<ConfigVersion | undefined> {
    await this.#projects.check(caller, projectId);
    const { rows } = await this.#pool.query<VersionRow>({
      name: 'find-config-version',
      text: `SELECT ${COLUMNS} FROM config_versions WHERE project_id = $1 AND version = $2`,
      values: [projectId, version],
    });
    return rows.map(toVersion)[0];
  }
}

const toVersion = (row: VersionRow): ConfigVersion => ({
  version: row.version,
  config: Values.parse(row.config),
  keys: row.keys,
  changedBy: row.changed_by,
  changedAt: row.changed_at,
  restoredFrom: row.restored_from ?? undefined,
});
