/** What a job is to who runs it and to who waits for it, whatever it brings home. */
export interface AnyJob {
  readonly id: string;
  readonly workspaceId: string;
  readonly requestId: string;
  readonly status: string;
  /** Attempts begun at it by now, in whatever process. */
  readonly attempts: number;
  readonly createdAt: Date;
}

/** Attempts after which a job that keeps failing for reasons of ours ends in `error`. */
export const MAX_ATTEMPTS = 5;
const RETRY_SECONDS = [1, 5, 15, 30];

/** Seconds until the next attempt, by attempts made. */
export const retryInSeconds = (attempts: number): number => RETRY_SECONDS[attempts - 1] ?? 30;
