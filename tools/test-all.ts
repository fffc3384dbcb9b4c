/**
 * `npm run test:all`: every suite, one after another, with one summary.
 *
 *   npm run test:all -- [suites]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onStopSignal } from '../deploy/local/stop-signal.ts';
import { isRecord } from './lints/ast.ts';
import { readResult, type SuiteRow, summaryLines } from './testing/suite-result.ts';
import { RESULT_FILE, SUITES, type Suite } from './testing/suites.ts';

const ROOT = resolve(import.meta.dirname, '..');
const HELP = `npm run test:all -- [suites]

Runs ${SUITES.join(', ')}, in this order, and prints a line for each: tests that passed and failed, seconds, and tests that were
skipped because the machine lacks something, by kind. Exit code 1 if a test failed. Takes about an hour.
  -- test:faults test:mcp   these suites only`;

/** Returns the command of a suite: that of its script in package.json. */
export function commandOf(suite: Suite, packageJson: string): [string, ...string[]] {
  const read: unknown = JSON.parse(packageJson);
  const scripts = isRecord(read) && isRecord(read['scripts']) ? read['scripts'] : {};
  const script = scripts[suite];
  const [program, ...args] = typeof script === 'string' ? script.split(' ') : [];
  if (program !== 'node') throw new Error(`package.json has no script ${suite} that starts node`);
  return [process.execPath, ...args];
}

/** Runs one suite to its end. It stops by itself when this process is interrupted or gone. */
async function runSuite(suite: Suite, packageJson: string, signal: AbortSignal): Promise<SuiteRow> {
  const startedAt = performance.now();
  const dir = mkdtempSync(join(tmpdir(), 'tidemark-suite-'));
  const file = join(dir, 'result.json');
  try {
    const [program, ...args] = commandOf(suite, packageJson);
    const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, [RESULT_FILE]: file } });
    const stop = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    const exitCode = await new Promise<number | null>((done) => {
      child.once('error', () => done(null));
      child.once('exit', (code) => done(code));
    });
    signal.removeEventListener('abort', stop);
    return { suite, result: readResult(file, exitCode), seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Runs the suites in order, prints the summary and returns the exit code. */
async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const unknown = args.filter((arg) => !SUITES.some((suite) => suite === arg));
  if (unknown.length > 0) {
    console.error(`no such suite: ${unknown.join(', ')}\n\n${HELP}`);
    return 1;
  }
  const packageJson = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const rows: SuiteRow[] = [];
  for (const suite of SUITES.filter((name) => args.length === 0 || args.includes(name))) {
    if (signal.aborted) break;
    console.log(`\n── npm run ${suite}`);
    rows.push(await runSuite(suite, packageJson, signal));
  }
  console.log(`\n${summaryLines(rows).join('\n')}`);
  if (signal.aborted) return 130;
  return rows.every(({ result }) => result.failed === 0) ? 0 : 1;
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(HELP);
    process.exit(0);
  }
  const stopping = new AbortController();
  void onStopSignal(stopping, (line) => console.log(line));
  process.exit(await main(args, stopping.signal));
}
