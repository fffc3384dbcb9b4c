import type { ConfigValues } from './config-values.ts';

export const HEALTHS = ['ok', 'failing', 'never'] as const;
export type Health = (typeof HEALTHS)[number];

/** A run that has ended, as its project remembers it. */
export interface LastRun {
  readonly id: string;
  readonly status: string;
  readonly stop: string;
  readonly finishedAt: Date;
  readonly pages: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly creditsUsed: number;
}

export type DueStatus = 'starting' | 'started' | 'skipped' | 'refused';

/** What became of a run that was due. */
export interface DueRun {
  readonly dueAt: Date;
  readonly status: DueStatus;
  readonly why: string;
  readonly runId: string;
  readonly missed: number;
}

/** How a project is kept: when runs start, and for how many days what they bring stays. */
export interface Keeping {
  readonly schedule: string;
  readonly timezone: string;
  readonly retentionDays: number;
}

/** A project as its owner sees it, apart from its config. */
export interface ProjectSummary extends Keeping {
  readonly id: string;
  readonly workspaceId: string;
  readonly seed: string;
  readonly name: string;
  readonly configVersion: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly health: Health;
  /** Since when it is as healthy, or not, as it is. */
  readonly healthSince: Date | undefined;
  readonly lastRun: LastRun | undefined;
  readonly nextDue: Date | undefined;
  readonly lastDue: DueRun | undefined;
}

export interface Project extends ProjectSummary {
  /** The keys that were given, secrets among them. */
  readonly config: ConfigValues;
}

/** A project as it is to be written. */
export interface NewProject extends Keeping {
  readonly id: string;
  readonly workspaceId: string;
  readonly seed: string;
  readonly name: string;
  readonly config: ConfigValues;
  readonly nextDue: Date | undefined;
  readonly at: Date;
}

/** A project as it is seen the moment it was written. */
export const asNew = ({ config: _, at, ...project }: NewProject): ProjectSummary => ({
  ...project,
  configVersion: 1,
  createdAt: at,
  updatedAt: at,
  health: 'never',
  healthSince: undefined,
  lastRun: undefined,
  lastDue: undefined,
});

export const DEFAULT_KEEPING: Keeping = { schedule: 'manual', timezone: 'UTC', retentionDays: 90 };
