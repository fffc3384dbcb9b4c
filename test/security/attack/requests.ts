import fc from 'fast-check';
import type { Attempt } from './attempt.ts';
import { encoded } from './encode.ts';
import { hostileText, mutationsOf } from './mutations.ts';
import { filledPath, ownedId } from './pool.ts';
import type { Parameter, Target } from './targets.ts';
import { type Source, validOf } from './values.ts';

/** Routes that end what they name: they get ids that do not exist, or nothing would be left for the others. */
const ENDS = /^(?:delete|cancel|revoke)/;

function idOf(target: Target, { pool }: Source): fc.Arbitrary<string> {
  const known = ENDS.test(target.id)
    ? filledPath(target.path, 'nothing', 'nothing')
    : filledPath(target.path, ownedId(pool, target.path), pool.run);
  const hostile = hostileText.map((text) => filledPath(target.path, encoded(text) || '%20', pool.run));
  return fc.oneof({ weight: 5, arbitrary: fc.constant(known) }, { weight: 1, arbitrary: hostile });
}

function parameterOf({ name, schema, required }: Parameter, source: Source): fc.Arbitrary<string> {
  const valid = validOf(schema, name, source).map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  );
  const value = fc.oneof({ weight: 3, arbitrary: valid }, { weight: 2, arbitrary: hostileText });
  const pair = value.map((text) => `${encodeURIComponent(name)}=${encoded(text)}`);
  const twice = fc.tuple(pair, pair).map(([first, second]) => `${first}&${second}`);
  const some = fc.oneof({ weight: 8, arbitrary: pair }, { weight: 1, arbitrary: twice });
  return required
    ? fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: fc.constant('') })
    : fc.oneof(some, fc.constant(''));
}

const EXTRA = fc.constantFrom('', '', '', '', '', '', 'page=2', '__proto__=x', 'a[b]=c', '%ff=%ff', '&&&', '=');

function queryOf(target: Target, source: Source): fc.Arbitrary<string> {
  const parameters = target.parameters.filter((parameter) => parameter.in === 'query');
  return fc.tuple(EXTRA, ...parameters.map((parameter) => parameterOf(parameter, source))).map((parts) => {
    const query = parts.filter((part) => part !== '').join('&');
    return query === '' ? '' : `?${query}`;
  });
}

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  {},
  {},
  { 'idempotency-key': 'fuzz' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'idempotency-key': '\u00e9\u00ff' },
  { accept: 'text/html' },
  { 'accept-language': 'x'.repeat(2_000) },
  { 'x-request-id': '<script>' },
  { 'x-service-tenant': '../' },
  { 'x-forwarded-for': "1' OR 1=1--", 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'javascript' },
  { range: 'bytes=0-0,1-1,2-2' },
  { 'if-none-match': '*' },
  { expect: '100-continue-never' },
  { 'x-http-method-override': 'DELETE' },
].filter((headers) => !('expect' in headers));

/** Returns an arbitrary of requests to one route: valid ones, and ones with something wrong. */
export function requestsOf(target: Target, source: Source): fc.Arbitrary<Attempt> {
  const around = fc.tuple(idOf(target, source), queryOf(target, source), fc.constantFrom(...HEADERS));
  if (target.body === undefined)
    return around.map(([path, query, headers]) => ({
      target,
      path: `${path}${query}`,
      headers,
      note: 'its parameters',
    }));
  const bodies = validOf(target.body, '', source).chain(mutationsOf);
  return fc.tuple(around, bodies).map(([[path, query, headers], { body, note, headers: own }]) => ({
    target,
    path: `${path}${query}`,
    body,
    headers: { ...headers, ...own },
    note,
  }));
}
