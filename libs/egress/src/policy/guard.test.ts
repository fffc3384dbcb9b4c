import { describe, expect, it } from '@jest/globals';
import {
  INTERNAL_NAMES,
  LOOPBACK_SPELLINGS,
  NAMES_OF_INTERNAL_ADDRESSES,
  SSRF_URLS,
} from '@tidemark/testkit/cases/internal-addresses';
import { rowsOf } from '@tidemark/testkit/cases/rule-cases';
import { failureOf, fakeResolver } from '../../test/loopback-site.ts';
import { EgressRefused, FetchFailed } from '../errors/errors.ts';
import { parseAllowList } from './allow-list.ts';
import { createGuard, type GuardOptions } from './guard.ts';

function guardWith(table: Record<string, readonly string[]>, allow = '', rest: Partial<GuardOptions> = {}) {
  const { resolve, queried } = fakeResolver(table);
  return { guard: createGuard({ allow: parseAllowList(allow), resolve, ...rest }), queried: queried };
}

/** Hosts that are refused by their text alone. */
const INTERNAL_HOSTS = [
  ...rowsOf(LOOPBACK_SPELLINGS),
  ...rowsOf(INTERNAL_NAMES),
  ['an address without brackets', '::1'] as const,
  ['an address with a zone', 'fe80::1%eth0'] as const,
  ...['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '168.63.129.16'].map(
    (host) => ['metadata services', host] as const,
  ),
];

describe('EgressGuard.admit', () => {
  it.each(INTERNAL_HOSTS)('refuses an internal host without a DNS query: %s: %j', async (_rule, host) => {
    const { guard, queried } = guardWith({ '*': ['8.8.8.8'] });
    await expect(guard.admit(host, 80)).rejects.toBeInstanceOf(EgressRefused);
    expect(queried).toEqual([]);
  });

  it.each([
    '',
    ' ',
    'a b',
    'a/b',
    'a@b',
    'a?b',
    'a#b',
    'a\\b',
    'a:80',
    '%00',
    'a\r\nb',
    '[::1',
    'a%2fb',
    `${'a'.repeat(600)}.com`,
  ])('refuses the text %j as an invalid host name', async (host) => {
    const { guard, queried } = guardWith({ '*': ['8.8.8.8'] });
    expect(await failureOf(guard.admit(host, 80))).toMatchObject({ reason: 'not a valid host name' });
    expect(queried).toEqual([]);
  });

  it('admits a public name at its first address', async () => {
    const { guard } = guardWith({ 'a.example': ['93.184.216.34', '2606:2800::1'] });
    expect(await guard.admit('A.Example.', 443)).toEqual({ address: '93.184.216.34', family: 4 });
  });

  it('admits a public address literal without a DNS query', async () => {
    const { guard, queried } = guardWith({});
    expect(await guard.admit('[2606:4700:0::1111]', 443)).toEqual({ address: '2606:4700::1111', family: 6 });
    expect(await guard.admit('[::ffff:8.8.8.8]', 443)).toEqual({ address: '8.8.8.8', family: 4 });
    expect(queried).toEqual([]);
  });

  it.each([['10.0.0.1'], ['::1'], ['64:ff9b::808:808'], ['169.254.169.254']])(
    'refuses a name that has a public address and %s, in either order',
    async (bad) => {
      const { guard } = guardWith({ 'a.example': ['8.8.8.8', bad], 'b.example': [bad, '8.8.8.8'] });
      await expect(guard.admit('a.example', 80)).rejects.toBeInstanceOf(EgressRefused);
      await expect(guard.admit('b.example', 80)).rejects.toBeInstanceOf(EgressRefused);
    },
  );

  it('keeps a cached name pinned and refuses it when its next resolution returns loopback', async () => {
    const answers = ['8.8.8.8', '127.0.0.1'];
    let time = 0;
    const resolve = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 as const }];
    const guard = createGuard({ allow: parseAllowList(''), resolve, now: () => time });
    expect((await guard.admit('rebind.example', 80)).address).toBe('8.8.8.8');
    time = 9_999;
    expect((await guard.admit('rebind.example', 80)).address).toBe('8.8.8.8');
    time = 10_000;
    expect(await failureOf(guard.admit('rebind.example', 80))).toMatchObject({
      reason: expect.stringMatching(/loopback/),
    });
  });

  it.each([
    0,
    1,
    22,
    25,
    53,
    110,
    143,
    179,
    389,
    587,
    2049,
    4190,
    5060,
    6000,
    6667,
    10_080,
    -1,
    1.5,
    65_536,
    Number.NaN,
  ])('refuses port %d', async (port) => {
    const { guard, queried } = guardWith({ '*': ['8.8.8.8'] });
    expect(await failureOf(guard.admit('a.example', port))).toMatchObject({ reason: 'port not used by web servers' });
    expect(queried).toEqual([]);
  });

  it('fails with kind dns for a name without addresses and for an unknown name', async () => {
    const { guard } = guardWith({ 'empty.example': [] });
    expect(await failureOf(guard.admit('empty.example', 80))).toMatchObject({ kind: 'dns' });
    expect(await failureOf(guard.admit('none.example', 80))).toBeInstanceOf(FetchFailed);
  });
});

describe('EgressGuard.admit with an allow-list', () => {
  it('admits an allowed name at a private address, on the allowed port only', async () => {
    const { guard } = guardWith({ 'git.corp': ['10.0.0.5'] }, 'git.corp:8443');
    expect((await guard.admit('git.corp', 8443)).address).toBe('10.0.0.5');
    await expect(guard.admit('git.corp', 443)).rejects.toBeInstanceOf(EgressRefused);
  });

  it('admits a name that resolves into an allowed network', async () => {
    const { guard } = guardWith({ 'a.example': ['10.1.2.3'], 'b.example': ['10.2.2.3'] }, '10.1.0.0/16');
    expect((await guard.admit('a.example', 80)).address).toBe('10.1.2.3');
    await expect(guard.admit('b.example', 80)).rejects.toBeInstanceOf(EgressRefused);
  });

  it('admits a blocked port only with an entry for exactly this host and port', async () => {
    const { guard } = guardWith({ 'a.corp': ['10.0.0.1'] }, 'a.corp,127.0.0.2:6000,127.0.0.3');
    expect((await guard.admit('127.0.0.2', 6000)).address).toBe('127.0.0.2');
    await expect(guard.admit('a.corp', 6000)).rejects.toBeInstanceOf(EgressRefused);
    await expect(guard.admit('127.0.0.3', 6000)).rejects.toBeInstanceOf(EgressRefused);
  });

  it.each(['169.254.169.254', 'fd00:ec2::254', '168.63.129.16', '100.100.100.200', '64:ff9b::a9fe:a9fe'])(
    'refuses the metadata address %s with any allow-list',
    async (ip) => {
      const { guard } = guardWith({ 'meta.corp': [ip] }, '0.0.0.0/0,::/0,meta.corp,meta.corp:80');
      expect(await failureOf(guard.admit('meta.corp', 80))).toMatchObject({ reason: 'cloud metadata address' });
      expect(await failureOf(guard.admit(ip, 80))).toMatchObject({ reason: 'cloud metadata address' });
    },
  );
});

const PARSED_SSRF_URLS = rowsOf(SSRF_URLS).flatMap(([rule, text]) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? [[rule, text, url] as const] : [];
});

describe('EgressGuard.admit with addresses that callers send', () => {
  it.each(PARSED_SSRF_URLS)('refuses a host without a query for a literal: %s: %j', async (_rule, _text, url) => {
    const { guard, queried } = guardWith({ '*': ['127.0.0.1'] });
    await expect(guard.admit(url.hostname, url.port === '' ? 80 : Number(url.port))).rejects.toBeInstanceOf(
      EgressRefused,
    );
    expect(queried.filter((name) => !name.endsWith('public.example'))).toEqual([]);
  });

  it.each(NAMES_OF_INTERNAL_ADDRESSES)('refuses the public name %s for its internal address', async (name) => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1']) {
      const { guard, queried } = guardWith({ '*': [address] });
      await expect(guard.admit(name, 80)).rejects.toBeInstanceOf(EgressRefused);
      expect(queried).toEqual([name]);
    }
  });
});
