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
import { sharedKey } from './shared-key.ts';

export interface AzureSettings {
  readonly account: string;
  readonly container: string;
  /** Base64. */
  readonly accountKey: string;
  /** Base URL of the account; empty: that of the public cloud. */
  readonly endpoint: string;
}

const VERSION = '2021-12-02';
const ACCOUNT = /^[a-z0-9]{3,24}$/;
const CONTAINER = /^(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

type Order = Pick<ObjectRequest, 'method' | 'body'> & { readonly path: string };

/**
 * A container of Azure Blob Storage. Each file is one Put Blob, which is atomic and may be repeated. Not `@azure/storage-blob` (12.34.0): of its
 * 18 MB and 15 packages, three requests and their signature would be used, through an adapter to libs/egress as long as these.
 */
export class AzureTarget implements ObjectTarget {
  readonly location: string;
  readonly server: TcpTarget;
  readonly #settings: AzureSettings;
  readonly #dial: DialTcp;
  readonly #base: URL;

  /** @throws DestinationError for settings that are not valid */
  constructor(settings: AzureSettings, dial: DialTcp) {
    const { account, container, endpoint } = settings;
    if (!ACCOUNT.test(account))
      throw new DestinationError('invalid', 'the account is not valid; expected 3 to 24 lower-case letters and digits');
    if (!CONTAINER.test(container))
      throw new DestinationError(
        'invalid',
        'the container is not valid; expected 3 to 63 lower-case letters, digits and hyphens',
      );
    this.#settings = settings;
    this.#dial = dial;
    this.#base = parseEndpoint(endpoint === '' ? `https://${account}.blob.core.windows.net` : endpoint);
    this.server = serverOf(this.#base);
    this.location = `azure://${account}/${container}/`;
  }

  async open(socket: Socket, _: SignIn): Promise<ObjectStore> {
    // The dialled socket shows that the server can be reached; requests open their own.
    socket.destroy();
    const client = createDialledHttpClient(this.#dial);
    const isMissing = (response: HttpResponse): boolean =>
      response.status === 404 && failureOf(response, '').kind === 'invalid';
    return {
      put: async (path, body, signal) => {
        const response = await this.#send(client, { method: 'PUT', path, body }, signal);
        if (response.status !== 201) throw failureOf(response, 'the blob could not be written');
      },
      get: async (path, signal) => {
        const response = await this.#send(client, { method: 'GET', path }, signal);
        if (response.status === 200) return response.body;
        if (isMissing(response)) return undefined;
        throw failureOf(response, 'the container could not be read');
      },
      remove: async (path, signal) => {
        const response = await this.#send(client, { method: 'DELETE', path }, signal);
        if (response.status !== 202 && !isMissing(response)) throw failureOf(response, 'the blob could not be deleted');
      },
      close: () => client.close(),
    };
  }

  #send(client: HttpClient, { method, path, body }: Order, signal: AbortSignal): Promise<HttpResponse> {
    const { account, container, accountKey } = this.#settings;
    const url = new URL(this.#base);
    url.pathname = `${this.#base.pathname.replace(/\/$/, '')}/${container}/${encodePath(path)}`;
    const headers = {
      'x-ms-date': new Date().toUTCString(),
      'x-ms-version': VERSION,
      ...(body === undefined ? {} : { 'content-type': 'application/octet-stream', 'x-ms-blob-type': 'BlockBlob' }),
    };
    const authorization = sharedKey({ method, url, headers, contentLength: body?.length ?? 0 }, account, accountKey);
    const signed = { ...headers, authorization };
    return sendObject(client, { method, url, headers: signed, ...(body === undefined ? {} : { body }) }, signal);
  }
}
