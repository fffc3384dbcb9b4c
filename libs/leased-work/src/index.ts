export {
  type AfterFailure,
  ATTEMPT_POLICIES,
  type AttemptPolicy,
  afterFailure,
  isPoison,
  MAX_INTERRUPTIONS,
  poisonReason,
  retrySeconds,
  SUSPECT_INTERRUPTIONS,
} from './attempt-policy.ts';
export { Fence, fencedBy, unfenced } from './fence.ts';
export { Fragment, param, sql, text } from './fragment.ts';
export { type HeldLease, HeldLeases } from './held-leases.ts';
export { type Fairness, LeasedQueue, type QueueDescription, type TimeColumns } from './leased-queue.ts';
export { type Database, Returning, returning, Statement } from './statement.ts';
