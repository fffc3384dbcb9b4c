// `npm test`: the checks, then every test. `npm test -- libs/egress` runs the tests of a folder; other words go to jest as they are.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TOOLS_DIR } from '../deploy/local/ground.ts';
import { chromiumPath } from '../deploy/local/parts/chromium.ts';
import { messageOf } from '../deploy/local/problem.ts';
import { makeProgress } from '../deploy/local/progress.ts';
import { onStopSignal } from '../deploy/local/stop-signal.ts';
import { allChecks, problemText, runChecks } from './checks/run-checks.ts';
import { endLeftBehind } from './testing/left-behind.ts';
import { runJest } from './testing/run-jest.ts';
import { readTally, type Tally, tallyLine } from './testing/tally.ts';

const ROOT = resolve(import.meta.dirname, '..');
const say = (line: string): void => console.log(line);

/** What the tests run on and can be had only once: told here, since jest says nothing while it sets up. */
async function prepare(): Promise<string[]> {
  const progress = makeProgress(say);
  try {
    const note = (text: string): void => progress.note('browser', text);
    await progress.step(
      'browser',
      () => chromiumPath(TOOLS_DIR, note),
      () => 'ready',
    );
    return [];
  } catch (error) {
    progress.note('browser', 'FAILED');
    return [`\n${messageOf(error)}`];
  }
}

async function runTests(
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ tally: Tally; passed: boolean; left: string[] }> {
  const scratchDir = mkdtempSync(join(tmpdir(), 'tm-'));
  const reportFile = join(scratchDir, 'report.json');
  try {
    const passed = await runJest({ root: ROOT, scratchDir, reportFile, args, signal });
    const left = await endLeftBehind(scratchDir);
    return { tally: readTally(reportFile), passed, left };
  } finally {
    rmSync(scratchDir, { recursive: true, force: true });
  }
}

/** The exit code of the whole. */
async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  // Until jest runs there is nothing to end in order: what the checks started ends with us.
  const leave = (): never => process.exit(130);
  signal.addEventListener('abort', leave);
  say('[1/3] checks');
  const failedChecks = await runChecks(allChecks(ROOT), say);
  say('[2/3] what the tests run on');
  const problems = await prepare();
  signal.removeEventListener('abort', leave);
  say(`[3/3] tests${args.length === 0 ? '' : ` (${args.join(' ')})`}; those over a whole fleet start one first`);
  const { tally, passed, left } = await runTests(args, signal);
  if (signal.aborted) return 130;

  if (failedChecks.length > 0) problems.push(problemText(failedChecks));
  if (left.length > 0) problems.push(`\nThe tests left processes behind, now ended:\n${left.join('\n')}`);
  for (const problem of problems) console.error(problem);
  // A check that failed counts as a test that did: the line below never says `0 failed` of a red run.
  const others = failedChecks.length + (left.length > 0 ? 1 : 0);
  const failed = Math.max(tally.failed + others, passed && problems.length === 0 ? 0 : 1);
  say(`\n${tallyLine({ ...tally, failed })}`);
  return failed === 0 ? 0 : 1;
}

// Its name looks like a test's to whatever gathers tests: imported, it does nothing.
if (import.meta.main) {
  const stopping = new AbortController();
  void onStopSignal(stopping, say);
  const code = await main(process.argv.slice(2), stopping.signal);
  if (stopping.signal.aborted) say('Stopped.');
  process.exit(code);
}
