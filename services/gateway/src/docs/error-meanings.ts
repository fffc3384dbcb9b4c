import type { ErrorCode } from '@tidemark/errors';

/** What each code means and what to do about it; the compiler asks for a line where a code is new. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  validation:
    'A field is wrong and `detail` names it. With status 400: the body is no JSON, or two fields contradict each other.',
  unauthorized: 'The key is missing, mistyped, expired or revoked.',
  credits_exhausted: 'No credits are left for this work; nothing was queued and nothing is charged.',
  plan_limit: 'The plan does not include this; `GET /meta` lists the plans.',
  tier_limit: 'The page needs an engine the request or the plan does not allow.',
  forbidden: 'The key may not do this.',
  scopes: 'The key lacks the scope the route needs.',
  read_only: 'The session may look and not change.',
  email_unverified: 'The account’s address has to be confirmed first.',
  mfa_required: 'The account has to sign in with its second factor.',
  mfa_stale: 'The second factor was given too long ago; give it again.',
  not_found: 'There is no such thing, or this key may not see it. An unknown path answers so too.',
  method_not_allowed: 'The path exists and takes other methods: `Allow` lists them.',
  conflict: 'It contradicts what is there, such as an `Idempotency-Key` used before with another body.',
  too_large: 'The request is larger than we read.',
  rate_limited: 'The key made its requests for this minute; `Retry-After` says when to go on.',
  internal: 'A fault of ours; `request_id` names the request in our logs.',
  unavailable: 'Something we need does not answer at the moment; try again after `Retry-After`.',
};
