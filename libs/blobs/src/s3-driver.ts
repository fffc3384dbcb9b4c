import type { S3Client } from '@aws-sdk/client-s3';
import { nameOf } from '@tidemark/errors';
import type { BlobDriver } from './blob-driver.ts';
import { isBlobFolder, nameOfBlobFile } from './blob-file.ts';

const DEADLINE_MS = 15_000;

/** Stores blobs as objects of an S3 bucket. Reads credentials from the standard AWS environment. */
export class S3Driver implements BlobDriver {
  readonly #client: Promise<S3Client>;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(options: { bucket: string; prefix: string; endpoint: string | undefined; region: string }) {
    this.#bucket = options.bucket;
    this.#prefix = options.prefix;
    // The SDK is large and is loaded only if a bucket is used.
    this.#client = import('@aws-sdk/client-s3').then(
      ({ S3Client: Client }) =>
        new Client({
          region: options.region,
          maxAttempts: 4,
          ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
        }),
    );
  }

  #object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${name.slice(0, 2)}/${name}.zst` };
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const [{ PutObjectCommand }, client] = await Promise.all([import('@aws-sdk/client-s3'), this.#client]);
    await client.send(new PutObjectCommand({ ...this.#object(name), Body: bytes }), {
      abortSignal: AbortSignal.timeout(DEADLINE_MS),
    });
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const [{ GetObjectCommand }, client] = await Promise.all([import('@aws-sdk/client-s3'), this.#client]);
    try {
      const { Body } = await client.send(new GetObjectCommand(this.#object(name)), {
        abortSignal: AbortSignal.timeout(DEADLINE_MS),
      });
      return await Body?.transformToByteArray();
    } catch (error) {
      if (nameOf(error) === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  async *names(): AsyncIterable<string> {
    const [{ ListObjectsV2Command }, client] = await Promise.all([import('@aws-sdk/client-s3'), this.#client]);
    let ContinuationToken: string | undefined;
    do {
      const list = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: this.#prefix, ContinuationToken });
      const page = await client.send(list, { abortSignal: AbortSignal.timeout(DEADLINE_MS) });
      for (const { Key = '' } of page.Contents ?? []) {
        const [folder = '', file = ''] = Key.slice(this.#prefix.length).split('/');
        const name = isBlobFolder(folder) ? nameOfBlobFile(file) : undefined;
        if (name !== undefined) yield name;
      }
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
  }

  /** Moves an object: copies it and then deletes the original, because S3 has no rename. @returns false if it does not exist */
  async move(from: string, to: string): Promise<boolean> {
    const [{ CopyObjectCommand }, client] = await Promise.all([import('@aws-sdk/client-s3'), this.#client]);
    const { Bucket, Key } = this.#object(from);
    const source = `${Bucket}/${Key}`.split('/').map(encodeURIComponent).join('/');
    const copy = new CopyObjectCommand({ ...this.#object(to), CopySource: source });
    if (!(await found(client.send(copy, { abortSignal: AbortSignal.timeout(DEADLINE_MS) })))) return false;
    await this.remove(from);
    return true;
  }

  async has(name: string): Promise<boolean> {
    const [{ HeadObjectCommand }, client] = await Promise.all([import('@aws-sdk/client-s3'), this.#client]);
    const head = new HeadObjectCommand(this.#object(name));
    return found(client.send(head, { abortSignal: AbortSignal.timeout(DEADLINE_MS) }));
  }

  async remove(name: string): Promise<void> {
    const [{ DeleteObjectCommand }, client] = await Promise.all([import('@aws-sdk/client-s3'), this.#client]);
    const remove = new DeleteObjectCommand(this.#object(name));
    await client.send(remove, { abortSignal: AbortSignal.timeout(DEADLINE_MS) });
  }

  async ping(): Promise<void> {
    const [{ HeadBucketCommand }, client] = await Promise.all([import('@aws-sdk/client-s3'), this.#client]);
    await client.send(new HeadBucketCommand({ Bucket: this.#bucket }), { abortSignal: AbortSignal.timeout(2_000) });
  }

  async close(): Promise<void> {
    (await this.#client).destroy();
  }
}

const MISSING = new Set(['NoSuchKey', 'NotFound']);

/** Returns whether a request found its object. */
async function found(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (MISSING.has(nameOf(error))) return false;
    throw error;
  }
}
