export { type AnyJob, MAX_ATTEMPTS, retryInSeconds } from './any-job.ts';
export { Attempts, type Outcome } from './attempts.ts';
export { FirstAnswers, type Started } from './first-answers.ts';
export { type EarlierRequest, IdempotencyKeys, toEarlier } from './idempotency-keys.ts';
export { JOB_LEASE_SECONDS, JobLeases } from './job-leases.ts';
export { openKeeper, type Taken } from './keeper.ts';
