import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { natsAddress } from '@tidemark/service';
import { sharedServers } from './shared-servers.ts';
import { until } from './until.ts';

/** A NATS server with JetStream for one suite, so that no suite receives another's messages. */
export interface TestNats {
  readonly url: string;
  /** A connection of the test itself. */
  readonly connection: NatsConnection;
  manager(): Promise<JetStreamManager>;
  /** Returns the number of messages in a stream. */
  messagesIn(stream: string): Promise<number>;
  close(): Promise<void>;
}

const USER = 'test';

export async function startNats(): Promise<TestNats> {
  const { nats } = await sharedServers();
  if ('url' in nats) return clientOf(nats.url, async () => undefined);
  const dir = mkdtempSync(join(tmpdir(), 'tidemark-nats-'));
  const password = randomBytes(12).toString('hex');
  const listen = ['-a', '127.0.0.1', '-p', '-1', '--ports_file_dir', dir, '--user', USER, '--pass', password];
  const server = spawn('setpriv', ['--pdeathsig', 'KILL', '--', nats.path, ...listen, '-js', '-sd', dir], {
    cwd: dir,
    stdio: 'ignore',
    env: { ...process.env, ...nats.env },
  });
  const url = new URL(await until('a NATS server', () => addressIn(dir, server)));
  url.username = USER;
  url.password = password;
  return clientOf(url.href, async () => {
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await gone;
    rmSync(dir, { recursive: true, force: true });
  });
}

/** Returns the server's address, which it writes to a file once it listens. @throws Error where it has ended */
function addressIn(dir: string, server: ChildProcess): string | undefined {
  if (server.exitCode !== null) throw new Error(`nats-server ended with ${server.exitCode}`);
  const file = readdirSync(dir).find((name) => name.endsWith('.ports'));
  if (file === undefined) return undefined;
  const ports: { nats: string[] } = JSON.parse(readFileSync(join(dir, file), 'utf8'));
  return ports.nats[0];
}

async function clientOf(url: string, stop: () => Promise<void>): Promise<TestNats> {
  const connection = await connect({ ...natsAddress(url), name: 'test', maxReconnectAttempts: -1 });
  const manager = () => jetstreamManager(connection, { checkAPI: false });
  return {
    url,
    connection,
    manager,
    messagesIn: async (stream) => (await (await manager()).streams.info(stream)).state.messages,
    async close() {
      await connection.close();
      await stop();
    },
  };
}
