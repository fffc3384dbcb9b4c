import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeCorpus } from '../test/corpora.ts';
import { failureOf, fakeResolver } from '../test/loopback-site.ts';
import { parseAllowList } from './allow-list.ts';
import { EgressRefused, FetchFailed } from './errors.ts';
import { createGuard, type GuardOptions } from './guard.ts';

function guardWith(table: Record<string, readonly string[]>, allow = '', rest: Partial<GuardOptions> = {}) {
  const { resolve, asked } = fakeResolver(table);
  return { guard: createGuard({ allow: parseAllowList(allow), resolve, ...rest }), asked };
}

const INTERNAL_HOSTS = [
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '0',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '::1',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '169.254.169.254',
  'metadata.google.internal',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '168.63.129.16',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
  'kubernetes.default.svc',
  'a.svc.cluster.local',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  '127。0。0。1',
  '017700000001',
  '[::ffff:7f00:1]',
  'redis',
  'printer.local',
  'router.home.arpa',
  'intranet',
  'fe80::1%eth0',
];

describe('the guard', () => {
  it.each(INTERNAL_HOSTS)('%s is refused without a question to the DNS', async (host) => {
    const { guard, asked } = guardWith({ '*': ['8.8.8.8'] });
    await expect(guard.admit(host, 80)).rejects.toBeInstanceOf(EgressRefused);
    expect(asked).toEqual([]);
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
  ])('the text %j is refused as no host name', async (host) => {
    const { guard, asked } = guardWith({ '*': ['8.8.8.8'] });
    expect(await failureOf(guard.admit(host, 80))).toMatchObject({ reason: 'not a valid host name' });
    expect(asked).toEqual([]);
  });

  it('a public name is admitted at the first of its addresses', async () => {
    const { guard } = guardWith({ 'a.example': ['93.184.216.34', '2606:2800::1'] });
    expect(await guard.admit('A.Example.', 443)).toEqual({ address: '93.184.216.34', family: 4 });
  });

  it('a public literal is admitted without a question to the DNS', async () => {
    const { guard, asked } = guardWith({});
    expect(await guard.admit('[2606:4700:0::1111]', 443)).toEqual({ address: '2606:4700::1111', family: 6 });
    expect(await guard.admit('[::ffff:8.8.8.8]', 443)).toEqual({ address: '8.8.8.8', family: 4 });
    expect(asked).toEqual([]);
  });

  it.each([['10.0.0.1'], ['::1'], ['64:ff9b::808:808'], ['169.254.169.254']])(
    'a name with one public address and %s is refused whole, in either order',
    async (bad) => {
      const { guard } = guardWith({ 'a.example': ['8.8.8.8', bad], 'b.example': [bad, '8.8.8.8'] });
      await expect(guard.admit('a.example', 80)).rejects.toBeInstanceOf(EgressRefused);
      await expect(guard.admit('b.example', 80)).rejects.toBeInstanceOf(EgressRefused);
    },
  );

  it('a name that rebinds to loopback is refused at its next resolution, and until then stays pinned', async () => {
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
  ])('port %d is refused', async (port) => {
    const { guard, asked } = guardWith({ '*': ['8.8.8.8'] });
    expect(await failureOf(guard.admit('a.example', port))).toMatchObject({ reason: 'port not used by web servers' });
    expect(asked).toEqual([]);
  });

  it('a name without addresses, an unknown name and a broken resolver are dns failures', async () => {
    const { guard } = guardWith({ 'empty.example': [] });
    expect(await failureOf(guard.admit('empty.example', 80))).toMatchObject({ kind: 'dns' });
    expect(await failureOf(guard.admit('none.example', 80))).toBeInstanceOf(FetchFailed);
  });
});

describe('the guard with an allow-list', () => {
  it('a listed name may resolve to a private address, on the listed port only', async () => {
    const { guard } = guardWith({ 'git.corp': ['10.0.0.5'] }, 'git.corp:8443');
    expect((await guard.admit('git.corp', 8443)).address).toBe('10.0.0.5');
    await expect(guard.admit('git.corp', 443)).rejects.toBeInstanceOf(EgressRefused);
  });

  it('a listed network opens a public-looking name that resolves into it', async () => {
    const { guard } = guardWith({ 'a.example': ['10.1.2.3'], 'b.example': ['10.2.2.3'] }, '10.1.0.0/16');
    expect((await guard.admit('a.example', 80)).address).toBe('10.1.2.3');
    await expect(guard.admit('b.example', 80)).rejects.toBeInstanceOf(EgressRefused);
  });

  it('a blocked port opens only by its own host:port entry', async () => {
    const { guard } = guardWith({ 'a.corp': ['10.0.0.1'] }, 'a.corp,127.0.0.2:6000,127.0.0.3');
    expect((await guard.admit('127.0.0.2', 6000)).address).toBe('127.0.0.2');
    await expect(guard.admit('a.corp', 6000)).rejects.toBeInstanceOf(EgressRefused);
    await expect(guard.admit('127.0.0.3', 6000)).rejects.toBeInstanceOf(EgressRefused);
  });

  it.each(['169.254.169.254', 'fd00:ec2::254', '168.63.129.16', '100.100.100.200', '64:ff9b::a9fe:a9fe'])(
    'the metadata address %s stays closed whatever is listed',
    async (ip) => {
      const { guard } = guardWith({ 'meta.corp': [ip] }, '0.0.0.0/0,::/0,meta.corp,meta.corp:80');
      expect(await failureOf(guard.admit('meta.corp', 80))).toMatchObject({ reason: 'cloud metadata address' });
      expect(await failureOf(guard.admit(ip, 80))).toMatchObject({ reason: 'cloud metadata address' });
    },
  );

  it('our own ports on this machine stay closed whatever is listed', async () => {
    const { guard } = guardWith({ 'me.corp': ['127.0.0.1'] }, '127.0.0.0/8,me.corp', { ownPorts: [3000] });
    expect(await failureOf(guard.admit('me.corp', 3000))).toMatchObject({
      reason: 'an address of this service itself',
    });
    await expect(guard.admit('127.0.0.5', 3000)).rejects.toBeInstanceOf(EgressRefused);
    expect((await guard.admit('me.corp', 3001)).address).toBe('127.0.0.1');
  });
});

describe('lookupFor', () => {
  it('answers in both shapes of dns.lookup with the admitted address', async () => {
    const { guard } = guardWith({ 'a.example': ['8.8.8.8', '1.1.1.1'] });
    const lookup = guard.lookupFor(443);
    const one = await new Promise((resolve) => lookup('a.example', {}, (...args) => resolve(args)));
    const all = await new Promise((resolve) => lookup('a.example', { all: true }, (...args) => resolve(args)));
    expect([one, all]).toEqual([
      [null, '8.8.8.8', 4],
      [null, [{ address: '8.8.8.8', family: 4 }]],
    ]);
  });

  it('hands a refusal to the socket as its error', async () => {
    const { guard } = guardWith({ 'a.example': ['10.0.0.1'] });
    const error = await new Promise((resolve) => guard.lookupFor(443)('a.example', {}, resolve));
    expect(error).toBeInstanceOf(EgressRefused);
  });
});

describeCorpus(
  'attack/PayloadsAllTheThings/Server_Side_Request_Forgery/README.md',
  'PayloadsAllTheThings SSRF',
  (file) => {
    const read = () => [...new Set(readFileSync(file, 'utf8').match(/https?:\/\/[^\s`'"<>]+/gi))];

    it('every address in the list is refused when every name leads to loopback, and literals never reach the DNS', async () => {
      const { guard, asked } = guardWith({ '*': ['127.0.0.1'] });
      const parsed = read().flatMap((text) => URL.parse(text) ?? []);
      const admitted: string[] = [];
      for (const url of parsed) {
        const port = url.port === '' ? 80 : Number(url.port);
        await guard.admit(url.hostname, port).then(
          () => admitted.push(url.href),
          (error: unknown) => expect(error).toBeInstanceOf(EgressRefused),
        );
      }
      // The one public literal of the list, out of http://1.1.1.1 &@2.2.2.2# @3.3.3.3/.
      expect(admitted).toEqual(['http://1.1.1.1/']);
      expect(asked.filter((name) => !/\.[a-z][a-z0-9-]*$/.test(name))).toEqual([]);
      expect(parsed.length).toBeGreaterThan(80);
    });
  },
);

describeCorpus('attack/ssrf-addresses.json', 'the SSRF host corpus', (file) => {
  it('every host is refused, those that only resolve to loopback by their addresses', async () => {
    const { hosts } = JSON.parse(readFileSync(file, 'utf8'));
    const spelled: string[] = hosts.flatMap(({ host }: { host: string }) => host.match(/^(\S+)( \(.*\))?$/)?.[1] ?? []);
    const { guard } = guardWith({ '*': ['127.0.0.1'] });
    for (const host of spelled) await expect(guard.admit(host, 80)).rejects.toBeInstanceOf(EgressRefused);
    expect(spelled.length).toBeGreaterThan(8);
  });
});
