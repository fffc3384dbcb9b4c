import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import type { TcpTarget } from '@tidemark/egress';
import type { SFTPWrapper } from 'ssh2';
import { DestinationError } from '../../driver.ts';
import {
  MAX_READ_BYTES,
  type ObjectStore,
  type ObjectTarget,
  PART_MS,
  type SignIn,
  SMALL_MS,
} from '../object-store.ts';
import { asDestinationError, NO_SUCH_FILE, openSftp, type SftpSettings } from './open-sftp.ts';

/** Bytes of a write, and writes in flight: 32 of 32 KB reach twice the rate of a single one. */
const CHUNK = 32 * 1024;
const IN_FLIGHT = 32;

/**
 * A directory on an SFTP server. A file is written under a temporary name, which ends with `.part`, and renamed when it is whole. The
 * temporary names of two connections differ: two processes may write the same file at the same time. A process that is killed leaves one.
 */
export class SftpTarget implements ObjectTarget {
  readonly location: string;
  readonly server: TcpTarget;
  readonly #settings: SftpSettings;
  readonly #directory: string;

  /** @throws DestinationError for settings that are not valid */
  constructor(settings: SftpSettings) {
    const { host, port, directory } = settings;
    if (/\p{Cc}/u.test(directory) || !directory.isWellFormed())
      throw new DestinationError('invalid', 'the directory is not allowed; expected a path without control characters');
    this.#settings = settings;
    this.#directory = directory === '' || directory === '.' ? '' : `${directory.replace(/\/+$/, '')}/`;
    this.server = { host, port };
    this.location = `sftp://${host}:${port}/${this.#directory.replace(/^\/+/, '')}`;
  }

  async open(socket: Socket, how: SignIn): Promise<ObjectStore> {
    const { sftp, hostKey, ended, close } = await openSftp(this.#settings, socket, how);
    const made = new Set<string>();
    const writer = randomUUID();
    const at = (path: string): string => `${this.#directory}${path}`;
    return {
      ...(this.#settings.hostKey === '' ? { learned: { host_key: hostKey } } : {}),
      put: (path, bytes, stop) =>
        within([stop, ended], PART_MS, async () => {
          const temporary = `${at(path)}.${writer}.part`;
          await makeFolders(sftp, posix.dirname(at(path)), made);
          try {
            await writeFile(sftp, temporary, bytes);
            await replace(sftp, temporary, at(path));
          } catch (error) {
            // A part of a file may have filled the disk.
            await called((done) => sftp.unlink(temporary, done)).catch(() => undefined);
            throw error;
          }
        }),
      get: (path, stop) => within([stop, ended], SMALL_MS, () => unlessMissing(readFile(sftp, at(path)))),
      remove: async (path, stop) => {
        await within([stop, ended], SMALL_MS, () => unlessMissing(called((done) => sftp.unlink(at(path), done))));
      },
      close: async () => close(),
    };
  }
}

/** Bounds a call. A call that is still pending then fails with the connection, which the caller closes. */
async function within<T>(signals: readonly AbortSignal[], timeoutMs: number, run: () => Promise<T>): Promise<T> {
  const stop = AbortSignal.any([...signals, AbortSignal.timeout(timeoutMs)]);
  stop.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(
      signals.find(({ aborted }) => aborted)?.reason ??
        new DestinationError('temporary', `the SFTP server made no progress within ${timeoutMs / 1_000} s`),
    );
  stop.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([run(), promise]);
  } catch (error) {
    throw asDestinationError(error);
  } finally {
    stop.removeEventListener('abort', onAbort);
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NO_SUCH_FILE) return undefined;
    throw error;
  }
}

/** Calls a method that reports its end to a callback. */
const called = (call: (done: (error?: Error | null) => void) => void): Promise<void> => promisify(call)();

async function makeFolders(sftp: SFTPWrapper, folder: string, made: Set<string>): Promise<void> {
  if (folder === '.' || folder === '/' || made.has(folder)) return;
  await makeFolders(sftp, posix.dirname(folder), made);
  // A folder that exists answers with a failure that some servers do not distinguish.
  await called((done) => sftp.mkdir(folder, done)).catch(() => undefined);
  made.add(folder);
}

async function writeFile(sftp: SFTPWrapper, path: string, bytes: Uint8Array): Promise<void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const handle = await promisify((done: (error: Error | undefined, handle: Buffer) => void) =>
    sftp.open(path, 'w', done),
  )();
  try {
    let offset = 0;
    const writeOn = async (): Promise<void> => {
      while (offset < buffer.length) {
        const from = offset;
        const length = Math.min(CHUNK, buffer.length - from);
        offset += length;
        await called((done) => sftp.write(handle, buffer, from, length, from, done));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, writeOn));
  } finally {
    await called((done) => sftp.close(handle, done));
  }
}

/** Renames over an existing file: by the extension of OpenSSH, else by deleting the old file first. */
async function replace(sftp: SFTPWrapper, from: string, to: string): Promise<void> {
  try {
    await called((done) => sftp.ext_openssh_rename(from, to, done));
  } catch (error) {
    const isUnsupported = error instanceof Error && /not support/i.test(error.message);
    if (!isUnsupported) throw error;
    await unlessMissing(called((done) => sftp.unlink(to, done)));
    await called((done) => sftp.rename(from, to, done));
  }
}

async function readFile(sftp: SFTPWrapper, path: string): Promise<Buffer> {
  const stats = await promisify((done: (error: Error | undefined, stats: { size: number }) => void) =>
    sftp.stat(path, done),
  )();
  if (stats.size > MAX_READ_BYTES)
    throw new DestinationError('invalid', `the file ${posix.basename(path)} is larger than expected`);
  return promisify((done: (error: Error | undefined, data: Buffer) => void) => sftp.readFile(path, done))();
}
