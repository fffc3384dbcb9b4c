import type { S3Client } from '@aws-sdk/client-s3';
import { nameOf } from '@tidemark/errors';
import type { BlobDriver } from './blob-store.ts';

const DEADLINE_MS = 15_000;

/** Blobs as objects of an S3 bucket. Credentials come from the standard AWS environment. */
export class S3Driver implements BlobDriver {
  readonly #client: Promise<S3Client>;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(options: { bucket: string; prefix: string; endpoint: string | undefined; region: string }) {
    this.#bucket = options.bucket;
    this.#prefix = options.prefix;
    // The SDK is loaded only where a bucket is used: it is large.
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

  async ping(): Promise<void> {
    const [{ HeadBucketCommand }, client] = await Promise.all([import('@aws-sdk/client-s3'), this.#client]);
    await client.send(new HeadBucketCommand({ Bucket: this.#bucket }), { abortSignal: AbortSignal.timeout(2_000) });
  }

  async close(): Promise<void> {
    (await this.#client).destroy();
  }
}
