/** The job after an attempt, and its end if this attempt ended it. The job is still running if it will be retried. */
export interface AttemptResult<Job, End> {
  readonly job: Job;
  readonly end: End | undefined;
}

/** A store of jobs that are read by id. */
export interface FindJob<Job> {
  find(workspaceId: string, id: string): Promise<Job | undefined>;
}

/**
 * Returns the result of an attempt. Reads the job again if the attempt did not end it: it was cancelled, reassigned, or ended by a statement
 * whose response was lost. Never rejects.
 */
export async function toAttemptResult<
  Job extends { readonly id: string; readonly workspaceId: string },
  End extends { readonly job: Job },
>(jobs: FindJob<Job>, job: Job, end: End | undefined): Promise<AttemptResult<Job, End>> {
  if (end !== undefined) return { job: end.job, end };
  const found = await jobs.find(job.workspaceId, job.id).catch(() => undefined);
  return { job: found ?? job, end };
}
