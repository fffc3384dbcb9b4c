import { SERVERS_URL } from '@tidemark/testkit';
import { TestServers } from './test-servers.ts';

let servers: TestServers | undefined;

// biome-ignore lint/style/noDefaultExport: jest loads a global setup so.
export default async function setUp(): Promise<void> {
  servers = await TestServers.listen();
  process.env[SERVERS_URL] = servers.url;
}

export const tearDown = async (): Promise<void> => servers?.close();
