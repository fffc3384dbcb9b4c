import { describe, expect, it } from '@jest/globals';
import { packagesOfPlan } from './debian-packages.ts';

describe("apt's plan", () => {
  it('names every package, those with epochs and odd versions too', () => {
    const plan = `'http://deb.debian.org/debian/pool/main/libl/liblzf/liblzf1_3.6-3_amd64.deb' liblzf1_3.6-3_amd64.deb 10192 MD5Sum:698d88f6f18f71c3468b58cbd265bb93
'http://deb.debian.org/debian-security/pool/updates/main/r/redis/redis-server_7.0.15-1%7edeb12u10_amd64.deb' redis-server_5%3a7.0.15-1~deb12u10_amd64.deb 73908 SHA256:aa
'http://deb.debian.org/debian/pool/main/n/nats-server/nats-server_2.9.10-1+b3_amd64.deb' nats-server_2.9.10-1+b3_amd64.deb 3644664 `;
    expect(packagesOfPlan(plan)).toEqual(['liblzf1', 'redis-server', 'nats-server']);
  });

  it('is empty where everything is installed', () => {
    expect(packagesOfPlan('')).toEqual([]);
  });
});
