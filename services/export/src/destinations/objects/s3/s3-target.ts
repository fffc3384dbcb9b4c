import type { Socket } from 'node:net';
import {
  createDialledHttpClient,
  type DialTcp,
  type HttpClient,
  type HttpResponse,
  type TcpTarget,
} from '@tidemark/egress';
import { DestinationError } from '../../driver.ts';
import { encodePath, failureOf, type ObjectRequest, parseEndpoint, sendObject, serverOf } from '../http-object.ts';
import type { ObjectStore, ObjectTarget, SignIn } from '../object-store.ts';
import { signV4 } from './sign-v4.ts';

export interface S3Settings {
  /** Base URL; empty: that of AWS in the region. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** True: the bucket is in the path of addresses; false: in their host name. */
  readonly hasPathStyle: boolean;
}

/** Bucket names (Amazon S3 user guide, bucket naming rules), with the underscore that other services allow. */
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{1,40}$/;

type Order = Pick<ObjectRequest, 'method' | 'body'> & { readonly path: string };

/** A bucket of Amazon S3 or a compatible service. */
export class S3Target implements ObjectTarget {
  readonly location: string;
  readonly server: TcpTarget;
  readonly #settings: S3Settings;
  readonly #dial: DialTcp;
  readonly #base: URL;

  /** @throws DestinationError for settings that are not valid */
  constructor(settings: S3Settings, dial: DialTcp) {
    const { bucket, region, endpoint, hasPathStyle } = settings;
    if (!BUCKET.test(bucket) || bucket.includes('..'))
      throw new DestinationError(
        'invalid',
        'the bucket name is not valid; expected 3 to 63 lower-case letters, digits, dots and hyphens',
      );
    if (!REGION.test(region))
      throw new DestinationError('invalid', 'the region is not valid; expected lower-case letters, digits and hyphens');
    this.#settings = settings;
    this.#dial = dial;
    const base = parseEndpoint(endpoint === '' ? `https://s3.${region}.amazonaws.com` : endpoint);
    if (hasPathStyle) base.pathname = `${base.pathname.replace(/\/$/, '')}/${bucket}`;
    else base.hostname = `${bucket}.${base.hostname}`;
    this.#base = base;
    this.server = serverOf(base);
    this.location = `s3://${bucket}/`;
  }

  async open(socket: Socket, _: SignIn): Promise<ObjectStore> {
    // The dialled socket shows that the server can be reached; requests open their own.
    socket.destroy();
    const client = createDialledHttpClient(this.#dial);
    return {
      put: async (path, body, signal) => {
        const response = await this.#send(client, { method: 'PUT', path, body }, signal);
        if (response.status !== 200) throw failureOf(response, 'the file could not be written');
      },
      get: async (path, signal) => {
        const response = await this.#send(client, { method: 'GET', path }, signal);
        if (response.status === 200) return response.body;
        const failure = failureOf(response, 'the bucket could not be read');
        if (response.status === 404 && failure.kind === 'invalid') return undefined;
        throw failure;
      },
      remove: async (path, signal) => {
        const response = await this.#send(client, { method: 'DELETE', path }, signal);
        if (![200, 204, 404].includes(response.status)) throw failureOf(response, 'the file could not be deleted');
      },
      close: () => client.close(),
    };
  }

  async #send(client: HttpClient, { method, path, body }: Order, signal: AbortSignal): Promise<HttpResponse> {
    const url = new URL(this.#base);
    url.pathname = `${this.#base.pathname.replace(/\/$/, '')}/${encodePath(path)}`;
    const headers = body === undefined ? {} : { 'content-type': 'application/octet-stream' };
    const signed = await signV4({ method, url, headers, body: body ?? new Uint8Array() }, this.#settings, new Date());
    return sendObject(client, { method, url, headers: signed, ...(body === undefined ? {} : { body }) }, signal);
  }
}
