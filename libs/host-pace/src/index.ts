export { acquireOrGivenUp, acquirePermit } from './acquire-permit.ts';
export { BACKOFF_POLICIES, type Failed, type HostReport, type Trouble } from './host-health.ts';
export {
  type HostLimiter,
  type HostState,
  isPermit,
  type Pace,
  type Permit,
  type Wait,
  withCrawlDelay,
} from './host-limiter.ts';
export {
  HELD_MAX,
  holdSeconds,
  type RequestedWait,
  reportOfFailure,
  reportOfResponse,
  requestedWaitOf,
  whyHeld,
} from './host-report.ts';
export { LocalHostLimiter } from './local-host-limiter.ts';
export { openHostLimiter } from './open-host-limiter.ts';
