import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Layer } from './layer.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

export interface ImageOptions {
  /** Name without registry, such as `tidemark/gateway`. */
  readonly name: string;
  readonly version: string;
  /** `amd64` or `arm64`. */
  readonly architecture: string;
  readonly time: Date;
  readonly layers: readonly Layer[];
  readonly workingDir: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
  readonly volumes: readonly string[];
}

/** A written image. */
export interface Image extends ImageOptions {
  /** Digest of its manifest, by which a registry names it. */
  readonly digest: string;
  readonly manifestSize: number;
}

/** Writes configuration and manifest of an image into an OCI layout. The image runs as user 1000. */
export function writeImage(layout: string, options: ImageOptions): Image {
  const { name, version, architecture, time, layers, workingDir, command, env, ports, volumes } = options;
  const config = writeJsonBlob(layout, {
    created: time.toISOString(),
    architecture,
    os: 'linux',
    config: {
      User: '1000:1000',
      Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
      Cmd: command,
      WorkingDir: workingDir,
      ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])),
      ...(volumes.length === 0 ? {} : { Volumes: Object.fromEntries(volumes.map((volume) => [volume, {}])) }),
      Labels: {
        'org.opencontainers.image.title': name,
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'UNLICENSED',
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: time.toISOString(), created_by: 'tidemark images' })),
  });
  const manifest = writeJsonBlob(layout, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: CONFIG, ...config },
    layers: layers.map(({ digest, size }) => ({ mediaType: LAYER, digest, size })),
  });
  return { ...options, digest: manifest.digest, manifestSize: manifest.size };
}

/** Writes the index of a layout, which names its images: `skopeo copy oci:<layout>:tidemark/gateway:1.0.0 docker://…` reads one. */
export function writeIndex(layout: string, images: readonly Image[]): void {
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const manifests = images.map(({ name, version, architecture, digest, manifestSize }) => ({
    mediaType: MANIFEST,
    digest,
    size: manifestSize,
    platform: { architecture, os: 'linux' },
    annotations: { 'org.opencontainers.image.ref.name': `${name}:${version}` },
  }));
  writeFileSync(join(layout, 'index.json'), `${JSON.stringify({ schemaVersion: 2, manifests }, null, 2)}\n`);
}

function writeJsonBlob(layout: string, value: unknown): { readonly digest: string; readonly size: number } {
  const text = JSON.stringify(value);
  const sum = createHash('sha256').update(text).digest('hex');
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  writeFileSync(join(layout, 'blobs/sha256', sum), text);
  return { digest: `sha256:${sum}`, size: Buffer.byteLength(text) };
}
