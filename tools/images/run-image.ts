import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programOnPath } from '../../deploy/local/programs.ts';
import { unpackLayers } from './layer.ts';
import type { Image } from './oci-layout.ts';

/** Control group of version 1 or 2 in which a memory limit can be set; undefined where the kernel or a container forbids it. */
function memoryGroup(name: string, bytes: number): string | undefined {
  for (const [folder, file] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max'],
  ] as const) {
    const group = join(folder, name);
    try {
      mkdirSync(group);
      writeFileSync(join(group, file), String(bytes));
      return group;
    } catch {
      if (existsSync(group)) rmdirSync(group);
    }
  }
  return undefined;
}

/** Removes a control group, which the kernel allows a moment after its last process has ended. */
async function removeGroup(group: string): Promise<void> {
  for (let tries = 0; tries < 50 && existsSync(group); tries += 1) {
    try {
      rmdirSync(group);
    } catch {
      await sleep(100);
    }
  }
}

export interface RunOptions {
  readonly image: Image;
  readonly layout: string;
  /** Folder for the unpacked image and its log. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Limit of the memory, bytes. */
  readonly memory: number;
  /** Folders of the host by the path at which the image sees them, writable. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** Without any network but the loopback of its own. */
  readonly isOffline?: boolean;
}

export interface RunningImage {
  /** What isolates it, for the report: tools and limits that this machine allows. */
  readonly how: string;
  readonly pid: number;
  readonly log: () => string;
  /** Exit code once it has ended. */
  readonly exitCode: () => number | null | undefined;
  stop(): Promise<void>;
}

/** Whether images can be started here: it needs root, to mount and to change the root. */
export const canRunImages = (): boolean =>
  process.getuid?.() === 0 && programOnPath('unshare') !== undefined && programOnPath('setpriv') !== undefined;

/**
 * Starts an unpacked image as user 1000 in namespaces of its own, with a root that is read-only, an empty /tmp, no capabilities, no new privileges, and
 * a limit of memory: what the chart demands of a container runtime, by util-linux alone.
 */
export async function runImage({
  image,
  layout,
  dir,
  env,
  memory,
  mounts = {},
  isOffline = false,
}: RunOptions): Promise<RunningImage> {
  const root = join(dir, 'root');
  await unpackLayers(image.layers, layout, root);
  const group = memoryGroup(`tidemark-${process.pid}-${image.name.replaceAll('/', '-')}`, memory);
  const binds = Object.entries(mounts).map(
    ([at, from]) => `mkdir -p '${root}${at}'; mount --bind '${from}' '${root}${at}'`,
  );
  const script = [
    ...(group === undefined ? [] : [`echo 0 > '${group}/cgroup.procs'`]),
    `mount --bind '${root}' '${root}'`,
    ...binds,
    `mount -t tmpfs -o mode=1777 tmpfs '${root}/tmp'`,
    `mount --rbind /dev '${root}/dev'`,
    `mount -t proc proc '${root}/proc'`,
    `mount -o remount,bind,ro '${root}'`,
    ...(isOffline ? ['ip link set lo up 2>/dev/null || true'] : []),
    `exec setpriv --no-new-privs unshare --ipc --uts --root='${root}' --wd='${image.workingDir}' --setgid=1000 --setuid=1000 "$@"`,
  ].join(' && ');
  const log = join(dir, 'log');
  const out = openSync(log, 'a');
  const [program = 'node', ...args] = image.command;
  const namespaces = [
    '--mount',
    '--propagation',
    'private',
    '--pid',
    '--fork',
    '--kill-child',
    ...(isOffline ? ['--net'] : []),
  ];
  const child = spawn('unshare', [...namespaces, 'sh', '-c', script, 'sh', program, ...args], {
    env: { ...image.env, ...env },
    stdio: ['ignore', out, out],
    detached: true,
  });
  let exitCode: number | null | undefined;
  child.once('exit', (code) => (exitCode = code));
  return {
    how: `unshare and chroot, ${group === undefined ? 'no limit of memory' : `${Math.round(memory / 1_048_576)} MiB by a control group`}${isOffline ? ', no network' : ''}`,
    pid: child.pid ?? 0,
    log: () => readFileSync(log, 'utf8'),
    exitCode: () => exitCode,
    async stop() {
      if (exitCode === undefined && child.pid !== undefined) {
        process.kill(-child.pid, 'SIGTERM');
        for (let tries = 0; exitCode === undefined && tries < 150; tries += 1) await sleep(100);
        if (exitCode === undefined) process.kill(-child.pid, 'SIGKILL');
        while (exitCode === undefined) await sleep(20);
      }
      if (group !== undefined) await removeGroup(group);
    },
  };
}
