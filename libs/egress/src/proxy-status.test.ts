import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FailureKind, FetchFailed } from './errors.ts';
import { formatProxyStatus, parseProxyStatus } from './proxy-status.ts';

const KINDS: readonly FailureKind[] = ['egress', 'dns', 'timeout', 'refused', 'reset', 'exit'];

it('a failure stated as a Proxy-Status header is restored with its kind and its sentence', () => {
  expect(formatProxyStatus('tidemark', new FetchFailed('dns'))).toBe(
    'tidemark; error=dns_error; details="the host name could not be resolved"',
  );
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.string({ unit: 'grapheme-ascii' }), (kind, detail) => {
      const restored = parseProxyStatus(formatProxyStatus('tidemark', new FetchFailed(kind, { detail })));
      expect(restored).toMatchObject({ kind, message: detail.replace(/[^ -~]/g, '?') });
    }),
  );
});

it.each([
  '',
  'tidemark',
  'tidemark; error=http_protocol_error',
  'tidemark; error=dns_error; details="unterminated',
  'other proxy, tidemark; error=dns_error',
])('“%s” states no failure that is known', (value) => {
  expect(parseProxyStatus(value)).toBeUndefined();
});

it('a failure of another kind is an internal error of the proxy', () => {
  expect(formatProxyStatus('p', new FetchFailed('tls'))).toMatch(/^p; error=proxy_internal_error; /);
});
