import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import ssh2, { type SFTPWrapper } from 'ssh2';
import { DestinationError } from '../../driver.ts';
import type { SignIn } from '../object-store.ts';

export interface SftpSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Empty: sign in with the private key. */
  readonly password: string;
  /** OpenSSH or PEM; empty: sign in with the password. */
  readonly privateKey: string;
  /** Of the private key; empty: none. */
  readonly passphrase: string;
  /** Directory of the files; empty: the directory at sign-in. */
  readonly directory: string;
  /** Fingerprint of the server's host key as `ssh-keygen -l` prints it: `SHA256:…`; empty: not known yet. */
  readonly hostKey: string;
}

/** Ports of SFTP that are not ports of web servers. */
export const SFTP_PORTS: readonly number[] = [22];

const CONNECT_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

/** A session that is signed in. */
export interface SftpSession {
  readonly sftp: SFTPWrapper;
  /** Fingerprint of the host key that was accepted. */
  readonly hostKey: string;
  /** Aborted when the connection ends: the driver then calls no callbacks of pending requests. */
  readonly ended: AbortSignal;
  close(): void;
}

/**
 * Signs in over a connected socket. The host key is checked before the password is sent; an unknown one is accepted only where it may be
 * learned. @throws DestinationError
 */
export async function openSftp(
  settings: SftpSettings,
  sock: Socket,
  { signal, mayLearn }: SignIn,
): Promise<SftpSession> {
  const { user, password, privateKey, passphrase, hostKey } = settings;
  const client = new ssh2.Client();
  let found = '';
  const ended = new AbortController();
  const isAccepted = (key: string): boolean => key === '' || key === hostKey || (hostKey === '' && mayLearn);
  const { promise, resolve, reject } = Promise.withResolvers<SFTPWrapper>();
  const onAbort = (): void => {
    reject(signal.reason);
    client.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('error', (error) => reject(isAccepted(found) ? asDestinationError(error) : hostKeyError(found, hostKey)));
  client.on('close', () => {
    const error = new DestinationError('temporary', 'SFTP: the server closed the connection');
    reject(error);
    ended.abort(error);
  });
  client.on('ready', () => client.sftp((error, sftp) => (error ? reject(asDestinationError(error)) : resolve(sftp))));
  try {
    client.connect({
      sock,
      username: user,
      readyTimeout: CONNECT_MS,
      keepaliveInterval: KEEP_ALIVE_MS,
      keepaliveCountMax: 4,
      ...(privateKey === '' ? { password } : { privateKey, ...(passphrase === '' ? {} : { passphrase }) }),
      hostVerifier: (key: Buffer) => {
        found = fingerprintOf(key);
        return isAccepted(found);
      },
    });
    const sftp = await promise;
    return {
      sftp,
      hostKey: found,
      ended: ended.signal,
      close: () => {
        signal.removeEventListener('abort', onAbort);
        client.end();
      },
    };
  } catch (error) {
    signal.removeEventListener('abort', onAbort);
    client.destroy();
    throw asDestinationError(error);
  }
}

const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

function hostKeyError(found: string, expected: string): DestinationError {
  const what =
    expected === ''
      ? `the server’s host key is ${found}; compare it with the server and set it as host_key, or test the connection, which sets it`
      : `the server’s host key is ${found}, which differs from host_key; expected the key that was set. If the server has a new key, set it`;
  return new DestinationError('refused', what);
}

/** Status codes of SFTP (draft-ietf-secsh-filexfer-02, section 7): no such file, permission denied. */
export const NO_SUCH_FILE = 2;
const PERMISSION_DENIED = 3;

/** Converts an error of the driver. */
export function asDestinationError(error: unknown): unknown {
  if (error instanceof DestinationError || !(error instanceof Error)) return error;
  const level = 'level' in error ? error.level : undefined;
  const code = 'code' in error ? error.code : undefined;
  if (level === 'client-authentication' || code === PERMISSION_DENIED)
    return new DestinationError('refused', `SFTP: ${error.message}`, error);
  if (/private ?key|passphrase/i.test(error.message))
    return new DestinationError(
      'refused',
      'SFTP: the private key can not be read; expected an OpenSSH or PEM key, and its passphrase',
    );
  if (code === NO_SUCH_FILE) return new DestinationError('invalid', `SFTP: ${error.message}`, error);
  return new DestinationError('temporary', `SFTP: ${error.message}`, error);
}
