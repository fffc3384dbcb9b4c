import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname } from 'node:path';
import { Problem } from '../problem.ts';

/** The account of PostgreSQL, which does not run as root. */
export interface Account {
  /** Prefix of PostgreSQL commands. */
  readonly prefix: readonly string[];
  /** Makes an empty folder writable for the account. */
  prepare(dir: string): void;
}

const UNPRIVILEGED_ID = '65534';
const ownAccount: Account = { prefix: [], prepare: () => {} };

/**
 * An unprivileged user runs it under the same account. Root runs it in a user namespace that maps root to the unprivileged id 65534:
 * PostgreSQL detects no root, and no folder changes its owner. If namespaces are forbidden (some containers), root switches to another user.
 * A user without a name (a container with a numeric user) is handled like root, because initdb requires a name.
 */
export function postgresAccount(binary: string, dataDir: string): Account {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && hasName()) return ownAccount;
  const namespace = ['unshare', '--user', `--map-user=${UNPRIVILEGED_ID}`, `--map-group=${UNPRIVILEGED_ID}`, '--'];
  if (works([...namespace, binary, '--version'])) return { prefix: namespace, prepare: () => {} };
  if (isRoot) return otherUser(binary, dataDir);
  throw new Problem(
    `PostgreSQL needs a user with a name, and user ${process.getuid?.()} has none in /etc/passwd; start as a named user, or set DATABASE_URL to a server of yours.`,
  );
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

function otherUser(binary: string, dataDir: string): Account {
  const { name, uid, gid } = systemUser();
  letPass(dataDir);
  const prefix = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
  if (!works([...prefix, binary, '--version']) || !works([...prefix, 'test', '-x', dataDir])) {
    throw new Problem(
      `PostgreSQL does not run as root, user namespaces are refused here, and the user ${name} may not enter ${dataDir} or ${binary}; expected a project folder that others may enter: move it out of the home folder, or start as an ordinary user.`,
    );
  }
  return {
    prefix,
    prepare: (dir) => {
      execFileSync('chown', ['-R', `${uid}:${gid}`, dir]);
      chmodSync(dir, 0o700);
    },
  };
}

/** Allows other users to enter a data folder and its parents in the project, up to PostgreSQL's folder, without listing them. */
function letPass(dataDir: string): void {
  for (let dir = dataDir; ; dir = dirname(dir)) {
    chmodSync(dir, 0o711);
    if (basename(dir) === '.tidemark' || !dir.includes('/.tidemark/')) return;
  }
}

function systemUser(): { name: string; uid: string; gid: string } {
  const lines = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  for (const candidate of ['postgres', 'nobody']) {
    const [name, , uid, gid] = lines.find((line) => line.startsWith(`${candidate}:`))?.split(':') ?? [];
    if (name !== undefined && uid !== undefined && gid !== undefined) return { name, uid, gid };
  }
  return { name: 'nobody', uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID };
}

function works(command: readonly string[]): boolean {
  const [program = '', ...args] = command;
  try {
    execFileSync(program, args, { stdio: 'ignore', cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
