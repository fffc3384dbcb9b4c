export { type AnyJob, MAX_ATTEMPTS, retryInSeconds } from './any-job.ts';
export { Attempts, type Outcome } from './attempts.ts';
export { type CreditRequest, leaseCredits, makeLeaseCredits, makeRequireCredits } from './credits.ts';
export { FirstAnswers, type Started } from './first-answers.ts';
export { type EarlierRequest, IdempotencyKeys, requireSameBody, toEarlier } from './idempotency-keys.ts';
export { JOB_LEASE_SECONDS, JobLeases } from './job-leases.ts';
export { openKeeper, type Taken } from './keeper.ts';
