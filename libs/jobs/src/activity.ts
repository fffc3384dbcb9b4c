import { hostname } from 'node:os';
import type { ActiveJob, Activity } from '@tidemark/contracts/activity/v1/activity';

/** Maximum number of listed jobs. */
export const ACTIVE_JOBS_MAX = 100;

/** An unfinished job and its place among all of the workspace. */
export interface ActiveJobRow {
  readonly id: string;
  readonly kind: ActiveJob['kind'];
  readonly status: ActiveJob['status'];
  readonly url: string;
  readonly project_id: string | null;
  readonly owner: string | null;
  readonly created_at: Date;
  readonly done: number;
  readonly total: number;
  /** Number of unfinished jobs, equal in every row. */
  readonly all: number;
}

/** Returns a name for this instance that is unique and shows its host: the owner of its leases. */
export const newInstanceName = (): string => `${hostname().slice(0, 40)}/${crypto.randomUUID()}`;

/** Returns the name of an instance as users see it: its host and the start of its id. */
const workerName = (owner: string): string => owner.replace(/^(.*\/[0-9a-f]{8})-[0-9a-f-]+$/, '$1');

const toActiveJob = (row: ActiveJobRow): ActiveJob => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  url: row.url,
  projectId: row.project_id ?? undefined,
  worker: row.owner === null ? undefined : workerName(row.owner),
  createdAt: row.created_at,
  done: row.done,
  total: row.total,
});

/** Builds the activity of a service from its rows. */
export const toActivity = (rows: readonly ActiveJobRow[], queues: Activity['queues']): Activity => ({
  jobs: rows.map(toActiveJob),
  total: rows[0]?.all ?? 0,
  queues,
});
