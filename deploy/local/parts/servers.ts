import { programOnPath } from '../programs.ts';
import { debianPackages, type Program, programOf } from './debian-packages.ts';

// Paths inside the Debian package.
const SERVERS = {
  'nats-server': 'usr/sbin/nats-server',
  'redis-server': 'usr/bin/redis-server',
} as const;

export type ServerName = keyof typeof SERVERS;

/** Returns the requested server programs: from PATH, otherwise from Debian packages unpacked under the project. */
export async function serverPrograms(
  toolsDir: string,
  names: readonly ServerName[],
  note: (text: string) => void,
): Promise<(name: ServerName) => Program> {
  const missing = names.filter((name) => programOnPath(name) === undefined);
  const root = missing.length === 0 ? '' : await debianPackages(toolsDir, missing, note);
  const programs = new Map<ServerName, Program>();
  for (const name of names) {
    const installed = programOnPath(name);
    programs.set(name, installed === undefined ? await programOf(root, SERVERS[name]) : { path: installed, env: {} });
  }
  return (name) => {
    const program = programs.get(name);
    if (program === undefined) throw new Error(`${name} was not requested`);
    return program;
  };
}
