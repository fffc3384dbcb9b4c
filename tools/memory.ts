// `npm run memory`: what the running fleet takes, process by process. PSS counts a page shared by n processes as 1/n in each.
import { basename, join, resolve } from 'node:path';
import { pssMb } from '../deploy/local/process-memory.ts';
import { allProcesses, commandLine, parentOf } from '../deploy/local/processes.ts';
import { runningProcesses } from '../deploy/local/run-file.ts';

const LIMIT_MB = 1_200;
const DATA_DIR = resolve(process.argv[2] ?? join(import.meta.dirname, '../.tidemark'));

interface Line {
  readonly name: string;
  readonly pid: number;
  readonly depth: number;
  readonly pssMb: number;
}

/** Every process under the named ones, parents first; a named process is listed under its own name only. */
function processTree(): Line[] {
  const named = runningProcesses(join(DATA_DIR, 'run.json'));
  const names = new Map(named.map(({ name, pid }) => [pid, name]));
  const children = Map.groupBy(allProcesses(), (pid) => parentOf(pid) ?? 0);
  const lines = (pid: number, name: string, depth: number): Line[] => [
    { name, pid, depth, pssMb: pssMb(pid) },
    ...(children.get(pid) ?? [])
      .filter((child) => !names.has(child))
      .flatMap((child) => lines(child, title(child), depth + 1)),
  ];
  return named.flatMap(({ name, pid }) => lines(pid, name, 0));
}

/** `postgres: checkpointer`, or a program's name with Chromium's kind of process. */
function title(pid: number): string {
  const words = commandLine(pid);
  const [program = ''] = words;
  if (program.startsWith('postgres:')) return program.trim();
  const kind = words.join(' ').match(/--type=(\S+)/)?.[1];
  return `${basename(program)}${kind === undefined ? '' : ` ${kind}`}`;
}

const lines = processTree();
if (lines.length === 0) {
  console.error(`tidemark: nothing runs on ${DATA_DIR}; expected a running fleet: npm start in another terminal.`);
  process.exit(1);
}
for (const { name, pid, depth, pssMb: size } of lines) {
  console.log(
    `${`${'  '.repeat(depth)}${name}`.padEnd(44).slice(0, 44)} ${String(pid).padStart(8)} ${size.toFixed(1).padStart(9)} MB`,
  );
}
const total = lines.reduce((sum, line) => sum + line.pssMb, 0);
console.log(
  `${'total'.padEnd(44)} ${String(lines.length).padStart(8)} ${total.toFixed(1).padStart(9)} MB   ${total <= LIMIT_MB ? 'within' : 'OVER'} the ${LIMIT_MB} MB set for an idle fleet`,
);
