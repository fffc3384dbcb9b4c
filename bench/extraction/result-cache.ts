import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type EvalReply, type EvalTask, readAll } from './reader-pool.ts';

/** Not under version control; may be deleted at any time. */
const FOLDER = join(import.meta.dirname, '../node_modules/.cache/extract-eval');

/** npm packages by tool. A tool without a package is part of this repository and is never cached. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ['readability', '@mozilla/readability'],
  ['defuddle', 'defuddle'],
  ['mdream', 'mdream'],
]);

const require = createRequire(import.meta.url);

/** Returns the installed version, read from the package's own file, since few packages export it. */
function versionOf(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'));
      return String(version);
    } catch {}
  }
  return 'unknown';
}

/** Path of a stored result, by tool, version, page and URL. */
function cachePathOf({ tool, path, url }: EvalTask, versions: Map<string, string>): string | undefined {
  const name = PACKAGES.get(tool);
  if (name === undefined) return undefined;
  const version = versions.get(name) ?? versionOf(name);
  versions.set(name, version);
  const key = createHash('sha256').update(readFileSync(path)).update(url).digest('hex');
  return join(FOLDER, `${tool}-${version}`, `${key}.json`);
}

function readStored(path: string | undefined): EvalReply | undefined {
  if (path === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Runs the tasks; results of other tools come from disk where the same version read the same page before. */
export async function readAllCached(
  tasks: readonly EvalTask[],
  limits: { processes: number; limitMs: number },
): Promise<EvalReply[]> {
  const versions = new Map<string, string>();
  const paths = tasks.map((task) => cachePathOf(task, versions));
  const replies = paths.map(readStored);
  const open = tasks.flatMap((task, at) => (replies[at] ? [] : [{ task, path: paths[at], at }]));
  const read = await readAll(
    open.map(({ task }) => task),
    limits,
  );
  for (const [index, { path, at }] of open.entries()) {
    const reply = read[index] ?? { fault: 'not read' };
    replies[at] = reply;
    // A time limit depends on the load of the machine.
    if (path === undefined || reply.fault === 'time limit') continue;
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, JSON.stringify(reply));
  }
  return replies.map((reply) => reply ?? { fault: 'not read' });
}
