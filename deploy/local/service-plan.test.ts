import { describe, expect, it } from '@jest/globals';
import { SERVICES } from '../services.ts';
import { type Surroundings, serviceEnv } from './service-plan.ts';

const around: Surroundings = {
  databaseUrl: 'postgresql://127.0.0.1:5432/db',
  natsUrl: 'nats://127.0.0.1:4222',
  redisUrl: 'redis://127.0.0.1:6379',
  blobUrl: 'file:///blobs',
  chromium: { path: '/chromium', sandbox: 'on' },
  egressAllow: 'site:1',
  sealingKeys: 'sealing',
  fleetKeys: 'fleet',
  logLevel: 'info',
  restPort: 8787,
  paymentPorts: [4711],
  consoleDir: '/console',
  mcpPort: 8790,
  exitProxyPort: 3128,
  port: (service, protocol) => 20_000 + 2 * SERVICES.indexOf(service) + (protocol === 'grpc' ? 0 : 1),
};

describe('the environment of a service on one machine', () => {
  it('has the address of each service that its settings name', () => {
    expect(serviceEnv('crawl', around)).toMatchObject({
      ARCHIVE_ADDR: `127.0.0.1:${around.port('archive', 'grpc')}`,
      BROWSER_POOL_ADDR: `127.0.0.1:${around.port('browser-pool', 'grpc')}`,
    });
  });

  it('has no password of a store that the service does not read', () => {
    const { DATABASE_URL, NATS_URL, SEALING_KEYS, REDIS_URL } = serviceEnv('browser-pool', around);
    expect([DATABASE_URL, NATS_URL, SEALING_KEYS]).toEqual([undefined, undefined, undefined]);
    expect(REDIS_URL).toBe(around.redisUrl);
  });

  it('has the credentials of exits for browser-pool only', () => {
    process.env['TIDEMARK_EXITS'] = 'exit=http://user:password@exit.example';
    try {
      expect(SERVICES.filter((name) => 'TIDEMARK_EXITS' in serviceEnv(name, around))).toEqual(['browser-pool']);
    } finally {
      delete process.env['TIDEMARK_EXITS'];
    }
  });

  it('has an operator setting for the services that declare it only', () => {
    process.env['MAIL_FROM'] = 'Acme <a@acme.example>';
    try {
      expect(SERVICES.filter((name) => 'MAIL_FROM' in serviceEnv(name, around))).toEqual(['delivery']);
    } finally {
      delete process.env['MAIL_FROM'];
    }
  });

  it('gives mails links to the console that this installation serves, where no other one is configured', () => {
    expect(serviceEnv('delivery', around)).toMatchObject({
      PUBLIC_URL: 'http://127.0.0.1:8787/v1',
      CONSOLE_URL: 'http://127.0.0.1:8787',
    });
  });

  it('refuses captures and messages at the port of a payment gateway on this machine, which billing alone calls', () => {
    const ownPortsOf = (name: (typeof SERVICES)[number]) => serviceEnv(name, around)['TIDEMARK_OWN_PORTS']?.split(',');
    for (const name of ['scrape', 'browser-pool', 'delivery', 'export'] as const)
      expect(ownPortsOf(name)).toContain('4711');
    expect(ownPortsOf('billing')).not.toContain('4711');
  });
});
