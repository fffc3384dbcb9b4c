/** The fields of a job that this library uses. */
export interface AnyJob {
  readonly id: string;
  readonly workspaceId: string;
  readonly requestId: string;
  readonly status: string;
  /** Attempts started so far, in any process. */
  readonly attempts: number;
  readonly createdAt: Date;
}
