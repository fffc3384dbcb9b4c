import type { ErrorCode } from '@tidemark/errors';

/** The meaning of each error code and what to do about it. The type requires an entry for every code. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  validation:
    'A field is invalid; `detail` names it. With status 400 the body is not JSON, or two fields contradict each other.',
  unauthorized: 'The key is missing, mistyped, expired or revoked.',
  credits_exhausted: 'The remaining credits do not cover this work. Nothing was queued or charged.',
  plan_limit: 'The plan does not include this feature; `GET /meta` lists the plans.',
  tier_limit: 'The page requires an engine that the request or the plan does not allow.',
  forbidden: 'The key is not allowed to do this.',
  scopes: 'The key lacks the scope that the route requires.',
  read_only: 'The session is read-only.',
  email_unverified: 'The e-mail address of the account must be verified first.',
  mfa_required: 'The workspace requires two-factor authentication.',
  mfa_stale: 'The last two-factor code is too old; enter a new one.',
  not_found: 'The resource does not exist or is not visible to the key. Also returned for an unknown path.',
  before_history: 'The time is before the first good reading of the page that the project stores.',
  method_not_allowed: 'The path does not support this method; `Allow` lists the supported ones.',
  conflict:
    'The request conflicts with the current state, for example an `Idempotency-Key` that was used with another body.',
  too_large: 'The request body exceeds the size limit.',
  rate_limited: 'The rate limit of the key is exceeded; retry after `Retry-After` seconds.',
  internal: 'Server error; `request_id` identifies the request in the logs.',
  unavailable: 'A required service is temporarily unavailable; retry after `Retry-After` seconds.',
};
