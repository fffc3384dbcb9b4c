import { startTestServers, type TestServers } from '@tidemark/testkit';

/** Starts the test servers and opens something on them. If that fails, the servers are closed. */
export async function withTestServers<T>(open: (servers: TestServers) => Promise<T>): Promise<T> {
  const servers = await startTestServers();
  try {
    return await open(servers);
  } catch (error) {
    await servers.close();
    throw error;
  }
}
