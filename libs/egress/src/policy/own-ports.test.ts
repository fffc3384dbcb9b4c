import { describe, expect, it } from '@jest/globals';
import { failureOf, fakeResolver } from '../../test/loopback-site.ts';
import { EgressRefused } from '../errors/errors.ts';
import { parseAllowList } from './allow-list.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { checkingGuardFromConfig } from './guard-from-config.ts';

function guardWith(table: Record<string, readonly string[]>, allow: string, rest: Partial<GuardOptions>) {
  const { resolve } = fakeResolver(table);
  return { guard: createGuard({ allow: parseAllowList(allow), resolve, ...rest }) };
}

describe('EgressGuard.admit with own ports', () => {
  it('refuses the own ports of this machine with any allow-list', async () => {
    const { guard } = guardWith({ 'me.corp': ['127.0.0.1'] }, '127.0.0.0/8,me.corp', { ownPorts: [3000] });
    expect(await failureOf(guard.admit('me.corp', 3000))).toMatchObject({
      reason: 'an address of this service itself',
    });
    await expect(guard.admit('127.0.0.5', 3000)).rejects.toBeInstanceOf(EgressRefused);
    expect((await guard.admit('me.corp', 3001)).address).toBe('127.0.0.1');
  });

  it('refuses the own ports at allow-listed addresses of other machines, unless an entry names host and port', async () => {
    const { guard } = guardWith({ 'wiki.corp': ['10.1.2.3'] }, '10.0.0.0/8,wiki.corp,10.9.9.9:5432', {
      ownPorts: [5432, 8787],
    });
    for (const host of ['10.1.2.3', 'wiki.corp'])
      expect(await failureOf(guard.admit(host, 8787))).toMatchObject({ reason: 'an address of this service itself' });
    expect((await guard.admit('wiki.corp', 443)).address).toBe('10.1.2.3');
    expect((await guard.admit('10.9.9.9', 5432)).address).toBe('10.9.9.9');
    expect((await guard.admit('8.8.8.8', 8787)).address).toBe('8.8.8.8');
  });

  it('refuses an own port of an address that is not allow-listed for the same reason as any other port', async () => {
    const { guard } = guardWith({}, '', { ownPorts: [3000] });
    const reasons = await Promise.all([3000, 3001].map((port) => failureOf(guard.admit('127.0.0.1', port))));
    expect(reasons[0]).toEqual(reasons[1]);
  });

  it('takes the own ports from TIDEMARK_OWN_PORTS and names an invalid entry', async () => {
    const guard = checkingGuardFromConfig({ TIDEMARK_EGRESS_ALLOW: '127.0.0.0/8', TIDEMARK_OWN_PORTS: '3000, 5432' });
    expect(await failureOf(guard.admit('127.0.0.1', 5432))).toBeInstanceOf(EgressRefused);
    expect(() => checkingGuardFromConfig({ TIDEMARK_EGRESS_ALLOW: '', TIDEMARK_OWN_PORTS: '3000,0,x' })).toThrow(
      'TIDEMARK_OWN_PORTS: "0" is not a port (1..65535); "x" is not a port (1..65535)',
    );
  });
});
