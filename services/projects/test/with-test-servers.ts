import { type Ground, layGround } from '@tidemark/testkit';

/** Starts the test servers and opens something on them. If that fails, the servers are closed. */
export async function withTestServers<T>(open: (servers: Ground) => Promise<T>): Promise<T> {
  const servers = await layGround();
  try {
    return await open(servers);
  } catch (error) {
    await servers.close();
    throw error;
  }
}
