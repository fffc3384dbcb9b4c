import type { JobStatus } from '@tidemark/contracts/job/v1/job';
import type { DueStatus } from '@tidemark/contracts/projects/v1/projects';
import type { StopReason } from '@tidemark/contracts/stop-reasons';
import type { ConfigValues } from './config-values.ts';

export const HEALTHS = ['ok', 'failing', 'never'] as const;
export type Health = (typeof HEALTHS)[number];

/** The newest run that has ended. Recrawls are not included. */
export interface LastRun {
  readonly id: string;
  readonly status: JobStatus;
  /** Undefined after an internal error. */
  readonly stop: StopReason | undefined;
  /** Why it failed, for the owner; undefined: it did not. */
  readonly error: string | undefined;
  readonly finishedAt: Date;
  readonly pages: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly creditsUsed: number;
}

export type { DueStatus };

/** A run that was due by the schedule, and its result. */
export interface DueRun {
  readonly dueAt: Date;
  readonly status: DueStatus;
  readonly why: string;
  /** Undefined: no run was started. */
  readonly runId: string | undefined;
  readonly missed: number;
}

/** When runs start, and for how many days their data is kept. */
export interface ProjectSettings {
  readonly schedule: string;
  readonly timezone: string;
  readonly retentionDays: number;
}

/** A project without its config. */
export interface ProjectSummary extends ProjectSettings {
  readonly id: string;
  readonly workspaceId: string;
  readonly seed: string;
  readonly name: string;
  /** A name that the owner chose, unique in the workspace; empty: none. */
  readonly reference: string;
  /** Sorted, each once. */
  readonly tags: readonly string[];
  readonly configVersion: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly health: Health;
  /** When `health` got its value. */
  readonly healthSince: Date | undefined;
  readonly lastRun: LastRun | undefined;
  readonly nextDue: Date | undefined;
  readonly lastDue: DueRun | undefined;
}

export interface Project extends ProjectSummary {
  /** The keys that were set, secrets included. */
  readonly config: ConfigValues;
}

/** A project to insert. */
export interface NewProject extends ProjectSettings {
  readonly id: string;
  readonly workspaceId: string;
  readonly seed: string;
  readonly name: string;
  readonly reference: string;
  readonly tags: readonly string[];
  readonly config: ConfigValues;
  readonly nextDue: Date | undefined;
  /** Id of the key or person that creates it. */
  readonly createdBy: string;
  readonly at: Date;
}

/** Returns a project as it is read right after its insert. */
export const toCreated = ({ config: _, createdBy: _actor, at, ...project }: NewProject): ProjectSummary => ({
  ...project,
  configVersion: 1,
  createdAt: at,
  updatedAt: at,
  health: 'never',
  healthSince: undefined,
  lastRun: undefined,
  lastDue: undefined,
});

export const DEFAULT_SETTINGS: ProjectSettings = { schedule: 'manual', timezone: 'UTC', retentionDays: 90 };
