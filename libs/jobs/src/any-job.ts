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

/** Attempts after which a job that fails for internal reasons ends with status `error`. */
export const MAX_ATTEMPTS = 5;
const RETRY_SECONDS = [1, 5, 15, 30];

/** Returns the delay before the next attempt, seconds, by the number of attempts made. */
export const retryInSeconds = (attempts: number): number => RETRY_SECONDS[attempts - 1] ?? 30;
