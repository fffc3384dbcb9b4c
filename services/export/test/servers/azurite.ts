import { join } from 'node:path';
import { npmPackage } from '../../../../deploy/local/npm-program.ts';
import { expectResponse } from '../../../../deploy/local/parts/part.ts';
import { sharedKey } from '../../src/destinations/objects/azure/shared-key.ts';
import { type RealServer, startRealServer } from './real-server.ts';

const ACCOUNT = 'tidemark';
const KEY = Buffer.from('a key of the tests, at least 32 bytes long').toString('base64');
const CONTAINER = 'exports';

export interface AzuriteServer extends RealServer {
  readonly account: string;
  readonly accountKey: string;
  readonly container: string;
  readonly endpoint: string;
}

/** Starts Azurite, Microsoft's server of the Azure Storage protocol, with one account and one container. It checks signatures. */
export async function startAzurite(key = KEY): Promise<AzuriteServer> {
  const root = await npmPackage('azurite', '3.37.0');
  const server = await startRealServer('azurite', async (port, dir) => ({
    command: [
      process.execPath,
      join(root, 'node_modules/azurite/dist/src/blob/main.js'),
      '--location',
      join(dir, 'data'),
      '--blobHost',
      '127.0.0.1',
      '--blobPort',
      String(port),
      '--skipApiVersionCheck',
      '--disableTelemetry',
    ],
    env: { AZURITE_ACCOUNTS: `${ACCOUNT}:${key}` },
    probe: () => expectResponse(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'HTTP/1.1'),
  }));
  const endpoint = `http://127.0.0.1:${server.port}/${ACCOUNT}`;
  const url = new URL(`${endpoint}/${CONTAINER}?restype=container`);
  const headers = { 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2021-12-02' };
  const authorization = sharedKey({ method: 'PUT', url, headers, contentLength: 0 }, ACCOUNT, key);
  const response = await fetch(url, { method: 'PUT', headers: { ...headers, authorization } });
  if (response.status !== 201) throw new Error(`the container was not created: ${await response.text()}`);
  return { ...server, account: ACCOUNT, accountKey: key, container: CONTAINER, endpoint };
}
