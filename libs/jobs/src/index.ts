export { ACTIVE_JOBS_MAX, type ActiveJobRow, newInstanceName, toActivity } from './activity.ts';
export type { AnyJob } from './any-job.ts';
export { type AttemptResult, AttemptRunner } from './attempt-runner.ts';
export {
  type CreditGrant,
  type CreditRequest,
  creditsRefused,
  leaseCredits,
  makeLease,
  makeRequireCredits,
} from './credits.ts';
export { type EarlierRequest, IdempotencyKeys, requireSameBody, toEarlierRequest } from './idempotency-keys.ts';
export { JOB_LEASE_SECONDS, JobLeases } from './job-leases.ts';
export { type ClaimedJob, openJobReconciler, RECONCILE_MS } from './job-reconciler.ts';
export { JobResponder, type StartedJob } from './job-responder.ts';
