import type { DestinationDataset, DestinationMode } from '@tidemark/datasets';

/** A computed column of a shape. */
export interface ShapeColumn {
  readonly name: string;
  readonly expr: string;
  readonly type: string;
}

/** What a destination writes instead of the rows of its dataset: computed columns, and a condition that a row must meet. */
export interface DestinationShape {
  /** None: the columns of the dataset. */
  readonly columns: readonly ShapeColumn[];
  readonly where: string | undefined;
}

/** What the user sets of a destination. */
export interface DestinationFields {
  readonly name: string;
  /** Undefined: the connection was deleted. */
  readonly connectionId: string | undefined;
  /** `all`: every project. A destination of a project has the scope `projects` with this project alone. */
  readonly scope: 'all' | 'projects';
  readonly projects: readonly string[];
  readonly dataset: DestinationDataset;
  readonly mode: DestinationMode;
  /** Empty for files. */
  readonly table: string;
  /** Of files; empty for tables. */
  readonly path: string;
  readonly format: string;
  readonly compression: string;
  /** Names of the columns to write; none: all. */
  readonly columns: readonly string[];
  readonly shape: DestinationShape | undefined;
  /** Whether each finished run is written. */
  readonly automatic: boolean;
  /** A sync fails where the table lacks a column, or has it with another type, instead of adding or leaving it out. */
  readonly freeze: boolean;
}

/** A database or a bucket to which the rows of runs and jobs are written. */
export interface Destination extends DestinationFields {
  readonly id: string;
  readonly workspaceId: string;
  /** Undefined: shared by the workspace. */
  readonly projectId: string | undefined;
  /** Id of the provider of its connection; empty: the connection was deleted. */
  readonly provider: string;
  readonly status: 'active' | 'paused';
  readonly pausedReason: string;
  /** Syncs that failed in a row. */
  readonly failures: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Failed syncs in a row after which a destination is paused. */
export const MAX_FAILURES = 5;
