import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expectResponse } from '../../../../deploy/local/parts/part.ts';
import { programOnPath } from '../../../../deploy/local/programs.ts';
import { packagedProgram, packagesOf, type RealServer, startRealServer } from './real-server.ts';

/** OpenSSH with one user, who signs in with a key. */
export interface SshServer extends RealServer {
  readonly user: string;
  readonly privateKey: string;
  /** As `ssh-keygen -l` prints it. */
  readonly hostKey: string;
  /** Folder that the user may write. */
  readonly files: string;
}

/** Id of a user without rights. */
const UNPRIVILEGED_ID = '65534';

/** Starts sshd of Debian (openssh-server) without root: root runs it in a user namespace, as a user without rights. */
export async function startOpenssh(): Promise<SshServer> {
  const root = await packagesOf('openssh-server', 'openssh-sftp-server', 'openssh-client');
  const isRoot = process.getuid?.() === 0;
  const { path, env } = await packagedProgram(root, 'usr/sbin/sshd');
  const prefix = isRoot
    ? ['unshare', '--user', `--map-user=${UNPRIVILEGED_ID}`, `--map-group=${UNPRIVILEGED_ID}`, '--']
    : [];
  let made = { privateKey: '', hostKey: '', files: '' };
  const server = await startRealServer('sshd', async (port, dir) => {
    made = prepareFiles(dir, port, programOnPath('ssh-keygen') ?? join(root, 'usr/bin/ssh-keygen'));
    const [program = path, ...args] = [...prefix, path, '-D', '-e', '-f', join(dir, 'sshd_config')];
    return { command: [program, ...args], env, probe: () => expectResponse(port, '', 'SSH-2.0') };
  });
  return { ...server, ...made, user: isRoot ? nameOfId(UNPRIVILEGED_ID) : userInfo().username };
}

const nameOfId = (id: string): string => execFileSync('id', ['-nu', id]).toString().trim();

function prepareFiles(dir: string, port: number, keygen: string): Pick<SshServer, 'privateKey' | 'hostKey' | 'files'> {
  const [host, user, files] = [join(dir, 'host'), join(dir, 'user'), join(dir, 'files')];
  for (const file of [host, user]) execFileSync(keygen, ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  mkdirSync(files);
  for (const folder of [dir, files]) chmodSync(folder, 0o777);
  const config = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: host,
    AuthorizedKeysFile: `${user}.pub`,

    StrictModes: 'no',
    UsePAM: 'no',
    PidFile: 'none',
    PasswordAuthentication: 'no',

    Subsystem: 'sftp internal-sftp',
    ForceCommand: 'internal-sftp',
  };
  writeFileSync(
    join(dir, 'sshd_config'),
    Object.entries(config)
      .map(([key, value]) => `${key} ${value}\n`)
      .join(''),
  );
  const printed = execFileSync(keygen, ['-l', '-f', `${host}.pub`]).toString();
  return { privateKey: readFileSync(user, 'utf8'), hostKey: /SHA256:\S+/.exec(printed)?.[0] ?? '', files };
}
