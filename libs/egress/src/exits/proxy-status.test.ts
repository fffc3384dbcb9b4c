import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FailureKind, FetchFailed } from '../errors/errors.ts';
import { formatProxyStatus, parseProxyStatus } from './proxy-status.ts';

const KINDS: readonly FailureKind[] = ['egress', 'dns', 'timeout', 'refused', 'reset', 'exit'];

describe('Proxy-Status', () => {
  it('restores the kind and the message of a formatted failure', () => {
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
  ])('yields no failure for the value “%s”', (value) => {
    expect(parseProxyStatus(value)).toBeUndefined();
  });

  it('formats a failure of any other kind as an internal error of the proxy', () => {
    expect(formatProxyStatus('p', new FetchFailed('tls'))).toMatch(/^p; error=proxy_internal_error; /);
  });
});
