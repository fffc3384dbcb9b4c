import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { ObjectDriver } from '../../../services/export/src/destinations/objects/object-driver.ts';
import type { ObjectTarget } from '../../../services/export/src/destinations/objects/object-store.ts';
import { S3Target } from '../../../services/export/src/destinations/objects/s3/s3-target.ts';
import { openSftp, SFTP_PORTS } from '../../../services/export/src/destinations/objects/sftp/open-sftp.ts';
import { SftpTarget } from '../../../services/export/src/destinations/objects/sftp/sftp-target.ts';
import { startOpenssh } from '../../../services/export/test/servers/openssh.ts';
import type { Figures } from '../../archive/figures.ts';
import type { Sizes } from './databases.ts';
import { addGrowth, attempt, generatedRows, measure, measureGrowth, planOf, readyRows } from './rows.ts';

/** Lowest ratio of the transfer of ready bytes to the floor; growth of memory, MB. */
const GOALS = { s3: 0.8, sftp: 0.9, growthMb: 40 };
const PART = 8 * 1024 * 1024;
/** Bytes of a row, about. */
const ROW_BYTES = 5_800;
const WINDOW = 32;
const CHUNK = 32 * 1024;

const never = new AbortController().signal;
const dialTcp = makeDialTcp(createGuard({ allow: parseAllowList('127.0.0.1') }), SFTP_PORTS);

interface Floor {
  readonly name: 's3' | 'sftp';
  /** Sends one part of ready bytes as simply as the protocol allows. */
  readonly send: (name: string, bytes: Buffer) => Promise<unknown>;
}

async function measureTarget(
  figures: Figures,
  target: ObjectTarget,
  { rows, large }: Sizes,
  { name, send }: Floor,
): Promise<void> {
  const parts = Math.max(2, Math.ceil((rows * ROW_BYTES) / PART));
  const bytes = Buffer.alloc(PART, 'a row of a file\n');
  const speed = (seconds: number): string => `${((parts * PART) / 1e6 / seconds).toFixed(0)} MB/s`;
  const twoAtOnce = async (put: (part: number) => Promise<unknown>): Promise<void> => {
    for (let part = 0; part < parts; part += 2)
      await Promise.all([put(part), part + 1 < parts ? put(part + 1) : undefined]);
  };
  const store = await target.open(await dialTcp(target.server), { signal: never, mayLearn: false });
  await store.put('warm', bytes, never);
  await send('warm', bytes);
  const floor = await measure(() => twoAtOnce((part) => send(`floor-${part}`, bytes)));
  const byDriver = await measure(() => twoAtOnce((part) => store.put(`driver-${part}`, bytes, never)));
  await store.close();
  const ratio = floor.seconds / byDriver.seconds;
  figures.add(`${name}: floor, ready parts of 8 MB, two at once`, speed(floor.seconds));
  figures.add(
    `${name}: the same parts by the driver`,
    `${speed(byDriver.seconds)}, ${ratio.toFixed(2)} x floor`,
    `>= ${GOALS[name]} x`,
    ratio >= GOALS[name],
  );
  // The emulator of S3 refuses larger objects.
  const driver = new ObjectDriver(target, dialTcp, { chars: PART, rows: 50_000 });
  // Measured before the rows of the other figure are held in memory, beside which V8 lets its heap grow further.
  if (large > 0) {
    // One run that is written again and again: each sync replaces the objects of the one before it.
    const write = (count: number): Promise<unknown> =>
      driver.write(planOf({ mode: 'append', runId: 'run_growth' }), generatedRows(count), attempt());
    const growth = await measureGrowth(write, rows, large);
    addGrowth(figures, name, { rows, large, growth, goalMb: GOALS.growthMb });
  }
  const ready = await readyRows(rows);
  const whole = await measure(() => driver.write(planOf({ mode: 'append' }), ready, attempt()));
  figures.add(`${name}: a sync of ${rows} rows as JSONL`, `${Math.round(rows / whole.seconds)} rows/s`);
}

/** Starts the emulator of S3 in a process of its own: it keeps the objects in memory, which is no memory of the driver. */
async function startEmulator(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = fork(join(import.meta.dirname, 's3-emulator.ts'), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [port] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
  return { child, port: Number(port) };
}

export async function measureS3(figures: Figures, sizes: Sizes): Promise<void> {
  const { child, port } = await startEmulator();
  try {
    const endpoint = `http://127.0.0.1:${port}`;
    const account = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const target = new S3Target(
      { endpoint, region: 'us-east-1', bucket: 'exports', ...account, hasPathStyle: true },
      dialTcp,
    );
    const send = async (name: string, body: Buffer): Promise<void> => {
      const response = await fetch(`${endpoint}/exports/${name}`, { method: 'PUT', body: new Uint8Array(body) });
      if (response.status !== 200) throw new Error(`the floor of s3 answered ${response.status}`);
    };
    await measureTarget(figures, target, sizes, { name: 's3', send });
  } finally {
    child.kill();
  }
}

export async function measureSftp(figures: Figures, sizes: Sizes): Promise<void> {
  const server = await startOpenssh();
  try {
    const settings = {
      host: '127.0.0.1',
      port: server.port,
      user: server.user,
      password: '',
      privateKey: server.privateKey,

      passphrase: '',
      directory: server.files,
      hostKey: server.hostKey,
    };
    const session = await openSftp(settings, await dialTcp({ host: '127.0.0.1', port: server.port }), {
      signal: never,
      mayLearn: false,
    });
    const { sftp } = session;
    const send = async (name: string, bytes: Buffer): Promise<void> => {
      const handle = await new Promise<Buffer>((resolve, reject) => {
        sftp.open(`${server.files}/${name}`, 'w', (error, opened) => (error ? reject(error) : resolve(opened)));
      });
      let offset = 0;
      const writeOn = async (): Promise<void> => {
        while (offset < bytes.length) {
          const from = offset;
          offset += CHUNK;
          const length = Math.min(CHUNK, bytes.length - from);
          await new Promise<void>((resolve, reject) => {
            sftp.write(handle, bytes, from, length, from, (error) => (error ? reject(error) : resolve()));
          });
        }
      };
      await Promise.all(Array.from({ length: WINDOW }, writeOn));
      await new Promise<void>((resolve) => sftp.close(handle, () => resolve()));
    };
    await measureTarget(figures, new SftpTarget(settings), sizes, { name: 'sftp', send });
    session.close();
  } finally {
    await server.close();
  }
}
