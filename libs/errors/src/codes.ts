/**
 * All error codes with their HTTP status (REST) and gRPC status (between services). Statuses that the specification leaves open are
 * defined here.
 */
export const CODES = {
  validation: { http: 422, grpc: 3 },
  unauthorized: { http: 401, grpc: 16 },
  credits_exhausted: { http: 402, grpc: 8 },
  plan_limit: { http: 402, grpc: 9 },
  tier_limit: { http: 402, grpc: 9 },
  forbidden: { http: 403, grpc: 7 },
  scopes: { http: 403, grpc: 7 },
  read_only: { http: 403, grpc: 7 },
  email_unverified: { http: 403, grpc: 7 },
  mfa_required: { http: 403, grpc: 7 },
  mfa_stale: { http: 403, grpc: 7 },
  not_found: { http: 404, grpc: 5 },
  before_history: { http: 404, grpc: 5 },
  method_not_allowed: { http: 405, grpc: 12 },
  conflict: { http: 409, grpc: 6 },
  too_large: { http: 413, grpc: 3 },
  rate_limited: { http: 429, grpc: 8 },
  internal: { http: 500, grpc: 13 },
  unavailable: { http: 503, grpc: 14 },
} as const;

export type ErrorCode = keyof typeof CODES;

/** Returns whether a string is a known error code. */
export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(CODES, value);
}
