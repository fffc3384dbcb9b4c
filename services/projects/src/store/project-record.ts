import { STOP_REASONS } from '@tidemark/contracts';
import { JobStatus } from '@tidemark/contracts/job/v1/job';
import { column, type RowOf, stateOf } from '@tidemark/sql';
import { z } from 'zod';
import type { ConfigValues, Masking } from '../domain/config-values.ts';
import {
  type DueRun,
  type DueStatus,
  HEALTHS,
  type LastRun,
  type Project,
  type ProjectSummary,
} from '../domain/project.ts';
import type { ProjectModel } from '../generated/prisma/models.ts';

/** Encrypts secrets; `context` binds the ciphertext to its project. */
export interface Seals {
  seal(plain: string, context: string): Buffer;
  open(sealed: Uint8Array, context: string): string;
}

const Values = z.record(z.string(), z.unknown());
const Health = z.enum(HEALTHS);
const Last = z.object({
  id: z.string(),
  status: z.enum(JobStatus),
  stop: z.enum(STOP_REASONS).optional(),
  error: z.string().optional(),
  finishedAt: z.coerce.date(),
  pages: z.number(),
  counts: z.record(z.string(), z.number()),
  creditsUsed: z.number(),
});

export type SummaryRecord = Pick<
  ProjectModel,
  | (
      | 'id'
      | 'workspaceId'
      | 'seed'
      | 'name'
      | 'reference'
      | 'tags'
      | 'schedule'
      | 'timezone'
      | 'retentionDays'
      | 'configVersion'
    )
  | ('nextDue' | 'health' | 'healthSince' | 'lastRun' | 'createdAt' | 'updatedAt')
>;
export type ProjectRecord = SummaryRecord & Pick<ProjectModel, 'config' | 'secrets'>;

/** Columns of `due_runs`. */
export const DUE_COLUMNS = {
  project_id: column('text'),
  due_at: column('timestamptz'),
  status: stateOf<DueStatus>(),
  why: column('text'),
  run_id: column('text'),
  missed: column('int4'),
};
export type DueRecord = RowOf<typeof DUE_COLUMNS>;

/** @throws ZodError if the row is invalid */
export function toSummary(row: SummaryRecord, due: DueRecord | undefined): ProjectSummary {
  const {
    id,
    workspaceId,
    seed,
    name,
    reference,
    tags,
    schedule,
    timezone,
    retentionDays,
    configVersion,
    createdAt,
    updatedAt,
  } = row;
  const kept = {
    id,
    workspaceId,
    seed,
    name,
    reference,
    tags,
    schedule,
    timezone,
    retentionDays,
    configVersion,
    createdAt,
    updatedAt,
  };
  return {
    ...kept,
    health: Health.parse(row.health),
    healthSince: row.healthSince ?? undefined,
    lastRun: toLastRun(row.lastRun),
    nextDue: row.nextDue ?? undefined,
    lastDue: due === undefined ? undefined : toDueRun(due),
  };
}

/** @throws ZodError if the row is invalid; Error if its secrets cannot be opened */
export function toProject(row: ProjectRecord, due: DueRecord | undefined, seals: Seals): Project {
  return { ...toSummary(row, due), config: joinConfig(row, seals) };
}

function toLastRun(stored: unknown): LastRun | undefined {
  if (stored === null) return undefined;
  const { stop, error, ...last } = Last.parse(stored);
  return { ...last, stop, error };
}

const toDueRun = ({ due_at, status, why, run_id, missed }: DueRecord): DueRun => ({
  dueAt: due_at,
  status,
  why,
  runId: status === 'started' ? run_id : undefined,
  missed,
});

/** Joins the stored config with its opened secrets. */
export function joinConfig(
  { id, config, secrets }: { readonly id: string; readonly config: unknown; readonly secrets: Uint8Array | null },
  seals: Seals,
): ConfigValues {
  const open = Values.parse(config);
  if (secrets === null) return open;
  const sealed: unknown = JSON.parse(seals.open(secrets, id));
  return { ...open, ...Values.parse(sealed) };
}

/** Splits a config into its columns: secrets are stored apart, sealed. */
export function splitConfig(
  config: ConfigValues,
  projectId: string,
  { isSecret }: Masking,
  seals: Seals,
): { readonly config: string; readonly secrets: Buffer | null } {
  const keysWhere = (secret: boolean) =>
    Object.fromEntries(Object.entries(config).filter(([key]) => isSecret(key) === secret));
  const secrets = keysWhere(true);
  const hasSecrets = Object.keys(secrets).length > 0;
  return {
    config: JSON.stringify(keysWhere(false)),
    secrets: hasSecrets ? seals.seal(JSON.stringify(secrets), projectId) : null,
  };
}
