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
export { type HeldLease, HeldLeases } from './held-leases.ts';
export {
  type Change,
  type Fairness,
  LeasedQueue,
  type Part,
  type QueueDescription,
  type TimeColumns,
} from './leased-queue.ts';
