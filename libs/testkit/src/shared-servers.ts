/** The environment key that holds the URL on which jest's global setup (tools/testing) states the servers of the run. */
export const SERVERS_URL = 'TEST_SERVERS_URL';

type Server = { readonly path: string; readonly env: Record<string, string> } | { readonly url: string };

/** What all suites of one jest run share. */
export interface SharedServers {
  readonly database: {
    /** With a role that creates databases. */
    readonly adminUrl: string;
    /** With the role of the services, which is no superuser. */
    readonly serviceUrl: string;
    readonly template: string;
  };
  /** The program each suite starts a server with, or the server that was configured for all of them. */
  readonly nats: Server;
  readonly redis: Server;
}

let known: Promise<SharedServers> | undefined;

/**
 * Returns the servers of this jest run. The first call of the run starts them; they end with it.
 * @throws Error saying why they could not be started
 */
export function sharedServers(): Promise<SharedServers> {
  known ??= request();
  return known;
}

async function request(): Promise<SharedServers> {
  const url = process.env[SERVERS_URL];
  if (url === undefined) throw new Error(`no test servers: run this with jest, whose global setup sets ${SERVERS_URL}`);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the test servers could not be started: ${await response.text()}`);
  const servers: SharedServers = JSON.parse(await response.text());
  return servers;
}
