import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readServices } from '../wiring/read-code.ts';
import { at, list, record, yamlReader } from './manifests.ts';

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
const [compose] = yamlReader()(text);
const services = await readServices();

const networksOf = (service: string): string[] => list(compose, 'services', service, 'networks').map(String);
/** The services that share a network with this one. */
const neighboursOf = (service: string): string[] =>
  Object.keys(record(at(compose, 'services')))
    .filter((other) => other !== service && networksOf(other).some((name) => networksOf(service).includes(name)))
    .sort();

describe('compose.yaml', () => {
  // The image sets this one.
  const fromImage = ['CHROMIUM_PATH'];

  it.each(services)('gives services/$name the settings that it needs', ({ name, required }) => {
    const given = Object.keys(record(at(compose, 'services', name, 'environment') ?? {}));
    expect(required.filter((key) => !given.includes(key) && !fromImage.includes(key))).toEqual([]);
  });

  it('names every port on which a service listens as one that no page reaches', () => {
    const own = String(at(compose, 'services', 'scrape', 'environment', 'TIDEMARK_OWN_PORTS'))
      .split(',')
      .map(Number);
    const listens = services.flatMap((service) => Object.values(service.listens));
    expect(listens.filter((port) => !own.includes(port))).toEqual([]);
  });

  it('holds no password and no key, and does not start without them', () => {
    const credentials = [...text.matchAll(/:\/\/[^/\s"$]*:(\$\{[^}]*\}|[^@\s"]+)@/g)].map(([, password]) => password);
    expect(credentials.length).toBeGreaterThan(2);
    for (const password of credentials)
      expect(password).toMatch(/^\$\{[A-Z_]+:\?run sh deploy\/compose-env\.sh first\}$/);
    const uses = [...text.matchAll(/[^$]\$\{?([A-Z_]*(?:PASSWORD|KEYS))(?![A-Z_])(.?.?)/g)];
    expect(uses.filter(([, , then]) => then !== ':?').map(([use]) => use)).toEqual([]);
    expect(text).toMatch(/authorization \{ user: tidemark, password: \$\$NATS_PASSWORD \}/);
    expect(text).toMatch(/requirepass \$\{REDIS_PASSWORD:\?/);
  });

  it('gives the services a role of PostgreSQL that is no superuser', () => {
    const { POSTGRES_USER } = record(at(compose, 'services', 'postgres', 'environment'));
    for (const { name } of services) {
      const url = at(compose, 'services', name, 'environment', 'DATABASE_URL');
      if (url !== undefined) expect(String(url)).not.toContain(`//${POSTGRES_USER}:`);
    }
    expect(String(at(compose, 'configs', 'postgres-role', 'content'))).toMatch(
      /CREATE ROLE tidemark LOGIN NOSUPERUSER/,
    );
  });

  it('connects browser-pool with its callers, Redis and the web, and with nothing else', () => {
    const callers = services.filter(({ shape }) => 'BROWSER_POOL_ADDR' in shape).map(({ name }) => name);
    expect(neighboursOf('browser-pool')).toEqual([...callers, 'redis'].sort());
    const outwards = networksOf('browser-pool').filter((name) => at(compose, 'networks', name, 'internal') !== true);
    expect(outwards).toEqual(['browser-web']);
  });

  it('lets the stores and the services without outside receivers or providers reach no outside', () => {
    const web = services.filter(({ name }) => networksOf(name).includes('web')).map(({ name }) => name);
    expect(web.sort()).toEqual(['billing', 'delivery', 'export', 'identity', 'map', 'scrape']);
    for (const name of ['postgres', 'nats', 'redis', 'archive', 'projects', 'crawl', 'diff', 'migrate'])
      expect(networksOf(name).filter((network) => at(compose, 'networks', network, 'internal') !== true)).toEqual([]);
    for (const network of ['web', 'browser-web'])
      expect(at(compose, 'networks', network, 'driver_opts', 'com.docker.network.bridge.enable_icc')).toBe('false');
  });

  it.each(services)('connects services/$name with what its settings name', ({ name, shape }) => {
    const stores = { DATABASE_URL: 'postgres', NATS_URL: 'nats', REDIS_URL: 'redis' };
    const named = Object.keys(shape).flatMap((key) =>
      key.endsWith('_ADDR')
        ? [key.slice(0, -5).toLowerCase().replaceAll('_', '-')]
        : (Object.entries(stores).find(([store]) => store === key)?.[1] ?? []),
    );
    expect(neighboursOf(name)).toEqual(expect.arrayContaining(named));
  });

  it('runs Chromium under the seccomp profile of the chart', () => {
    expect(list(compose, 'services', 'browser-pool', 'security_opt')).toEqual([
      'no-new-privileges:true',
      'seccomp:helm/tidemark/files/chromium-seccomp.json',
    ]);
  });
});

describe('deploy/compose-env.sh', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidemark-env-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const run = (): Map<string, string> => {
    execFileSync('sh', [join(dir, 'deploy/compose-env.sh')], { stdio: 'ignore' });
    const lines = readFileSync(join(dir, '.env'), 'utf8').trim().split('\n');
    return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  };

  it('writes every password and key that compose.yaml needs, readable by the owner only, and keeps those that are there', () => {
    mkdirSync(join(dir, 'deploy'));
    cpSync(join(ROOT, 'deploy/compose-env.sh'), join(dir, 'deploy/compose-env.sh'));
    writeFileSync(join(dir, '.env'), 'NATS_PASSWORD=kept', { mode: 0o644 });
    const first = run();
    const needed = new Set([...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name = '']) => name));
    expect([...needed].filter((name) => !first.has(name))).toEqual([]);
    expect(first.get('NATS_PASSWORD')).toBe('kept');
    expect(statSync(join(dir, '.env')).mode & 0o777).toBe(0o600);
    for (const name of ['POSTGRES_PASSWORD', 'POSTGRES_SETUP_PASSWORD', 'REDIS_PASSWORD'])
      expect(first.get(name)).toMatch(/^p[0-9a-f]{48}$/);
    expect(Buffer.from(first.get('SEALING_KEYS') ?? '', 'base64')).toHaveLength(32);
    expect(new Set(first.values()).size).toBe(first.size);
    expect(run()).toEqual(first);
  });
});
