import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, createReadStream, createWriteStream, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A layer of an image (OCI image specification 1.1). */
export interface Layer {
  /** Digest of the compressed tar, by which it is stored. */
  readonly digest: string;
  readonly size: number;
  /** Digest of the tar. */
  readonly diffId: string;
  /** Bytes of the tar. */
  readonly unpacked: number;
}

/**
 * Writes the files of a folder as a layer below `blobs/sha256` of an OCI layout. Equal files give equal bytes: names are sorted, owners are root or
 * the given one, and all times are the same.
 * @throws Error if tar fails
 */
export async function writeLayer(folder: string, layout: string, time: Date): Promise<Layer> {
  const blobs = join(layout, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  chmodSync(folder, 0o755); // it becomes the root, which user 1000 enters
  const partial = join(blobs, `.${process.pid}-${Math.random().toString(36).slice(2)}`);
  const options = [
    '--sort=name',
    `--mtime=@${Math.floor(time.getTime() / 1_000)}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--format=gnu',
  ];
  const tar = spawn('tar', ['--create', ...options, '--mode=go-w', '--directory', folder, '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => void tar.once('close', resolve));
  const [inner, outer] = [counting(), counting()];
  await pipeline(tar.stdout, inner.stream, createGzip({ level: 6 }), outer.stream, createWriteStream(partial));
  if ((await ended) !== 0) throw new Error(`tar could not read ${folder}`);
  const digest = outer.digest();
  renameSync(partial, join(blobs, digest));
  return {
    digest: `sha256:${digest}`,
    size: outer.bytes(),
    diffId: `sha256:${inner.digest()}`,
    unpacked: inner.bytes(),
  };
}

function counting() {
  const sum = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, digest: () => sum.digest('hex'), bytes: () => bytes };
}

/** Unpacks the layers of an image into a folder, in their order. @throws Error if tar fails */
export async function unpackLayers(
  layers: readonly Pick<Layer, 'digest'>[],
  layout: string,
  into: string,
): Promise<void> {
  mkdirSync(into, { recursive: true });
  for (const { digest } of layers) {
    const tar = spawn('tar', ['--extract', '--gzip', '--directory', into], { stdio: ['pipe', 'inherit', 'inherit'] });
    const ended = new Promise<number | null>((resolve) => void tar.once('close', resolve));
    await pipeline(createReadStream(join(layout, 'blobs/sha256', digest.slice('sha256:'.length))), tar.stdin);
    if ((await ended) !== 0) throw new Error(`tar could not unpack ${digest}`);
  }
}
