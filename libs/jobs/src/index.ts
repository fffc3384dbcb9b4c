export { ACTIVE_JOBS_MAX, type ActiveJobRow, newInstanceName, toActivity } from './activity.ts';
export type { AnyJob } from './any-job.ts';
export { type AttemptResult, toAttemptResult } from './attempt-result.ts';
export {
  type CreditGrant,
  type CreditRequest,
  creditsRefused,
  leaseCredits,
  makeLease,
  makeRequireCredits,
} from './credits.ts';
export {
  type EarlierRequest,
  type Idempotency,
  IdempotencyKeys,
  requireSameBody,
  toEarlierRequest,
  toIdempotency,
} from './idempotency-keys.ts';
export { type JobAttempt, JobAttempts } from './job-attempts.ts';
export { JOB_LEASE_SECONDS, JobLeases } from './job-leases.ts';
export { type ClaimedJob, openJobReconciler, RECONCILE_MS } from './job-reconciler.ts';
export { JobResponder, type JobResponse, type StartedJob } from './job-responder.ts';
export { makeSettleFailure, type SettleFailure } from './settle-failure.ts';
