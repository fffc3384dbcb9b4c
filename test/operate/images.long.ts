import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { fleetKeys, sealingKeys } from '../../deploy/local/local-keys.ts';
import { choosePorts, LOOPBACK } from '../../deploy/local/ports.ts';
import { serviceEnv } from '../../deploy/local/service-plan.ts';
import { ROOT, TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { SERVICES, type ServiceName } from '../../deploy/services.ts';
import { at, record, yamlReader } from '../../tools/chart/manifests.ts';
import { buildImages } from '../../tools/images/build-images.ts';
import type { Image } from '../../tools/images/oci-layout.ts';
import { canRunImages, runImage } from '../../tools/images/run-image.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tidemark-images-'));
const layout = join(scratch, 'layout');
const MEGABYTE = 1_000_000;
let images: Image[] = [];
let fleet: OwnFleet;

beforeAll(async () => {
  images = await buildImages({ names: SERVICES, layout, say: (line) => console.info(line) });
  fleet = await startFleet();
}, 900_000);
afterAll(async () => {
  await fleet?.close();
  rmSync(scratch, { recursive: true, force: true });
}, 60_000);

const imageOf = (name: string): Image => {
  const image = images.find((one) => one.name === `tidemark/${name}`);
  if (image === undefined) throw new Error(`${name} was not built`);
  return image;
};

/** The limit of memory that the chart sets, bytes. */
function memoryOf(service: ServiceName): number {
  const [values] = yamlReader()(readFileSync(join(ROOT, 'helm/tidemark/values.yaml'), 'utf8'));
  const own = at(values, 'services', service, 'resources', 'limits', 'memory');
  const limit = String(own ?? at(values, 'defaults', 'resources', 'limits', 'memory'));
  const [, amount = '', unit] = /^(\d+)(Mi|Gi)$/.exec(limit) ?? [];
  return Number(amount) * (unit === 'Gi' ? 2 ** 30 : 2 ** 20);
}

describe('the images of the services', () => {
  it('have at most 250 MB without Chromium', () => {
    const sizes = images.map(
      ({ name, layers }) => [name, layers.reduce((sum, { unpacked }) => sum + unpacked, 0)] as const,
    );
    const tooLarge = sizes.filter(([name, size]) => name !== 'tidemark/browser-pool' && size > 250 * MEGABYTE);
    expect(tooLarge).toEqual([]);
  });

  it('run as user 1000 and contain no secret and no shell', () => {
    const index = record(JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')));
    expect(at(index, 'manifests', images.length - 1, 'annotations')).toBeDefined();
    const { digest } = imageOf('gateway');
    const manifest: unknown = JSON.parse(readFileSync(join(layout, 'blobs/sha256', digest.slice(7)), 'utf8'));
    const config = String(at(manifest, 'config', 'digest')).slice(7);
    const text = readFileSync(join(layout, 'blobs/sha256', config), 'utf8');
    expect(record(record(JSON.parse(text))['config'])['User']).toBe('1000:1000');
    expect(text).not.toMatch(/PASSWORD|SEALING|SECRET/);
  });

  it('are reproducible: a second build of one commit has the same digests', async () => {
    const names = ['identity', 'crawl'] as const;
    const again = await buildImages({ names, layout: join(scratch, 'again'), say: () => undefined });
    expect(again.map(({ digest }) => digest)).toEqual(names.map((name) => imageOf(name).digest));
  }, 300_000);

  needs('mount', canRunImages(), () =>
    it.each(SERVICES)(
      '%s starts under the chart’s memory limit with a read-only root, and is ready',
      async (service) => {
        const ports = await choosePorts(join(scratch, `${service}.json`), ['grpc', 'http', 'rest', 'mcp', 'exit']);
        const portOf = (name: ServiceName, kind: 'grpc' | 'http'): number =>
          name === service
            ? ports(kind)
            : Number((kind === 'grpc' ? fleet.grpc[name] : fleet.http[name])?.split(':').at(-1));
        const env = serviceEnv(service, {
          databaseUrl: fleet.databaseUrl,
          natsUrl: fleet.natsUrl,
          redisUrl: fleet.redisUrl,
          blobUrl: 'file:///tmp/blobs',
          chromium: { path: '/opt/chromium/chromium', sandbox: 'off' },
          egressAllow: '',
          sealingKeys: sealingKeys(fleet.dataDir),
          fleetKeys: fleetKeys(fleet.dataDir),
          logLevel: 'info',
          restPort: ports('rest'),
          consoleDir: '/app/console',
          mcpPort: ports('mcp'),
          exitProxyPort: ports('exit'),
          paymentPorts: [],
          port: portOf,
        });
        const dir = mkdtempSync(join(TOOLS_DIR, 'images/.run-'));
        const running = await runImage({ image: imageOf(service), layout, dir, env, memory: memoryOf(service) });
        try {
          const startedAt = performance.now();
          await until(
            `${service} to be ready`,
            async () => {
              if (running.exitCode() !== undefined) throw new Error(`it ended: ${running.log().slice(-1_500)}`);
              const response = await fetch(`http://${LOOPBACK}:${ports('http')}/readyz`);
              if (!response.ok) throw new Error(await response.text());
              return true;
            },
            { withinMs: 45_000 },
          );
          console.info(
            `${service}: ${running.how}; ready after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
          );
        } finally {
          await running.stop();
          rmSync(dir, { recursive: true, force: true });
        }
      },
      120_000,
    ),
  );
});
