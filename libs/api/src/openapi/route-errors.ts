import { CODES, type ErrorCode } from '@tidemark/errors';
import { type AnyRoute, acceptsBody, type SessionGap } from '../route.ts';

/** One cause of an error response. */
export interface ErrorCause {
  readonly status: number;
  readonly code: ErrorCode;
  /** A sentence for the description. */
  readonly why: string;
}

const isKeyed = ({ scope }: AnyRoute): boolean => scope !== 'public';
const hasParameters = ({ path }: AnyRoute): boolean => path.includes('{');

const allows = ({ session }: AnyRoute, gap: SessionGap): boolean => session?.allows?.includes(gap) === true;

interface Rule extends ErrorCause {
  readonly applies: (route: AnyRoute) => boolean;
}

const rule = (code: ErrorCode, why: string, applies: Rule['applies'], status: number = CODES[code].http): Rule => ({
  status,
  code,
  why,
  applies,
});

/** Every cause that follows from a fact of the route. */
const RULES: readonly Rule[] = [
  rule('validation', 'The request is not HTTP, or its request line and headers exceed 16 KiB.', () => true, 400),
  rule('validation', 'The body is not JSON, or two of its fields contradict each other.', acceptsBody, 400),
  rule('validation', 'The path contains an invalid percent escape.', hasParameters, 400),
  rule('unauthorized', 'The key is missing, mistyped, expired or revoked, or the session has ended.', isKeyed),
  rule(
    'credits_exhausted',
    'The remaining credits do not cover the work. Nothing was started.',
    ({ spends }) => spends,
  ),
  rule(
    'scopes',
    'The key or the role lacks the scope of this route.',
    ({ scope }) => scope === 'write' || scope === 'admin',
  ),
  rule(
    'plan_limit',
    'The plan of the workspace does not include the feature; `GET /meta` lists plans and features.',
    ({ feature }) => feature !== undefined,
  ),
  rule('forbidden', 'The key is restricted to projects.', ({ reach }) => reach === 'workspace'),
  rule(
    'forbidden',
    'The workspace is suspended by its parent.',
    (route) => isKeyed(route) && route.session?.only !== true,
  ),
  rule('forbidden', 'The caller is an API key; the route concerns a person.', ({ session }) => session?.only === true),
  rule(
    'mfa_required',
    'The workspace requires a second factor, and the person has none.',
    (route) => isKeyed(route) && !allows(route, 'no_factor'),
  ),
  rule(
    'email_unverified',
    'The address of the person is not verified.',
    (route) => isKeyed(route) && route.method !== 'get' && !allows(route, 'unverified'),
  ),
  rule(
    'mfa_stale',
    'The last code of the person is older than ten minutes.',
    ({ session }) => session?.freshCode !== undefined,
  ),
  rule('not_found', 'The resource does not exist or is not visible to the key.', hasParameters),
  rule(
    'not_found',
    '`x-service-tenant` names a workspace that is neither the own one nor a sub-account of it.',
    isKeyed,
  ),
  rule(
    'not_found',
    '`config.login_id` names no saved login that the key may see.',
    ({ usesLogin }) => usesLogin === true,
  ),
  rule('method_not_allowed', 'The path does not support the method.', () => true),
  rule('conflict', 'The `Idempotency-Key` was used with another body.', ({ idempotent }) => idempotent),
  rule('too_large', 'The body is larger than the limit of the deployment, by default 1 MiB.', acceptsBody),
  rule('validation', 'A field or parameter is invalid or unknown; `detail` names it.', () => true),
  rule('rate_limited', 'The rate limit of the key or of the workspace is exceeded.', () => true),
  rule('internal', 'Server error; `request_id` identifies the request in the logs.', () => true),
  rule('unavailable', 'A required service is temporarily unavailable.', isKeyed),
];

/** Returns every cause for which a route answers with an error, by status. */
export function errorCauses(route: AnyRoute): ReadonlyMap<number, readonly ErrorCause[]> {
  const refusals = Object.entries(route.refusals ?? {}).flatMap(([code, why]): ErrorCause[] =>
    isCode(code) ? [{ status: CODES[code].http, code, why }] : [],
  );
  const causes = [...RULES.filter(({ applies }) => applies(route)), ...refusals];
  return new Map([...Map.groupBy(causes, ({ status }) => status)].sort(([a], [b]) => a - b));
}

const isCode = (name: string): name is ErrorCode => Object.hasOwn(CODES, name);
