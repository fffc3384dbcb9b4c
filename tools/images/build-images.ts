import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { SERVICES, type ServiceName } from '../../deploy/services.ts';
import { currentVersion } from '../release/version-files.ts';
import { runCommand } from '../run-command.ts';
import { writeBase, writeBrowser, writeInstallation, writeMachine, writeService } from './contents.ts';
import { type Layer, writeLayer } from './layer.ts';
import { type Image, writeImage, writeIndex } from './oci-layout.ts';

/** Images that are built: one a service, and the one for one machine, which runs the migrations and tidemark-admin too. */
export const IMAGE_NAMES = [...SERVICES, 'all-in-one'] as const;
export type ImageName = (typeof IMAGE_NAMES)[number];

export interface BuildOptions {
  readonly names: readonly ImageName[];
  /** Folder of the OCI layout. */
  readonly layout: string;
  readonly say: (line: string) => void;
}

const ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  NODE_ENV: 'production',
  HOME: '/tmp',
  SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
  // Fewer malloc arenas: glibc would reserve 64 MB per thread.
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
};

/** Builds images into an OCI layout, without a daemon and without root. Two builds of one commit on equal packages have the same digests. */
export async function buildImages({ names, layout, say }: BuildOptions): Promise<Image[]> {
  mkdirSync(join(TOOLS_DIR, 'images'), { recursive: true });
  mkdirSync(layout, { recursive: true });
  const time = new Date((await runCommand(['git', 'log', '-1', '--format=%cI'], ROOT)).output || 0);
  const version = currentVersion(ROOT);
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const layerOf = async (write: (folder: string) => Promise<void>): Promise<Layer> => {
    const work = mkdtempSync(join(TOOLS_DIR, 'images/.layer-'));
    try {
      await write(work);
      return await writeLayer(work, layout, time);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  };
  const base = await layerOf(writeBase);
  say(`base ${megabytes([base])}`);
  const images: Image[] = [];
  for (const name of names) {
    const layers = [base, ...(await layersOf(name, layerOf))];
    const common = { name: `tidemark/${name}`, version, architecture, time, layers };
    const image =
      name === 'all-in-one'
        ? writeImage(layout, {
            ...common,
            workingDir: '/app',
            command: ['node', '--conditions=tidemark-source', 'deploy/local/start.ts'],
            env: { ...ENV, TIDEMARK_DATA_DIR: '/data', TIDEMARK_HOST: '0.0.0.0', CHROMIUM_SANDBOX: 'off' },
            ports: [8787, 8790],
            volumes: ['/data'],
          })
        : writeImage(layout, {
            ...common,
            workingDir: '/app',
            command: ['node', 'dist/main.js'],
            env: {
              ...ENV,
              CHROMIUM_PATH: '/opt/chromium/chromium',
              FONTCONFIG_FILE: '/opt/chromium/fonts.conf',
              CONSOLE_DIR: '/app/console',
            },
            ports: [50051, 9090, ...(name === 'gateway' ? [8787] : name === 'mcp' ? [8790] : [])],
            volumes: [],
          });
    images.push(image);
    say(`${image.name} ${megabytes(layers)} ${image.digest}`);
  }
  writeIndex(layout, images);
  const digests = images.map(({ name, digest }) => `    ${name.replace('tidemark/', '')}: ${digest}`);
  writeFileSync(
    join(layout, 'digests.yaml'),
    `# Values of the chart: the images of this build.\nimage:\n  digests:\n${digests.join('\n')}\n`,
  );
  return images;
}

async function layersOf(
  name: ImageName,
  layerOf: (write: (folder: string) => Promise<void>) => Promise<Layer>,
): Promise<Layer[]> {
  if (name === 'all-in-one')
    return [await layerOf(writeMachine), await layerOf((folder) => writeInstallation(join(folder, 'app')))];
  const service: ServiceName = name;
  const own = await layerOf((folder) => writeService(service, folder));
  return service === 'browser-pool' ? [await layerOf(writeBrowser), own] : [own];
}

/** Returns the size of an image, unpacked and compressed, MB. */
export const megabytes = (layers: readonly Layer[]): string => {
  const sum = (of: 'size' | 'unpacked'): string =>
    (layers.reduce((total, layer) => total + layer[of], 0) / 1_000_000).toFixed(0);
  return `${sum('unpacked')} MB, ${sum('size')} MB compressed`;
};
