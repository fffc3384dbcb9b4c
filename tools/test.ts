// `npm test`: every test, and the checks beside them. `npm test -- libs/egress` runs the tests of a folder; other words are passed to jest.
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unpackBrowserFonts } from '../deploy/local/parts/browser-fonts.ts';
import { chromiumPath } from '../deploy/local/parts/chromium.ts';
import { messageOf } from '../deploy/local/problem.ts';
import { makeProgress } from '../deploy/local/progress.ts';
import { TOOLS_DIR } from '../deploy/local/stack-context.ts';
import { onStopSignal } from '../deploy/local/stop-signal.ts';
import { allChecks, problemText, runChecks } from './checks/run-checks.ts';
import { fillCompileCache } from './testing/compile-cache.ts';
import { endLeftBehind } from './testing/left-behind.ts';
import { DURATIONS_FILE, durationsOf } from './testing/long-first-sequencer.ts';
import { forbiddenSkips, type Report, readReport, skipLines, tallyLine } from './testing/report.ts';
import { runJest } from './testing/run-jest.ts';
import { makeScratchDir } from './testing/scratch-dir.ts';
import { writeResult } from './testing/suite-result.ts';
import { timingLines } from './testing/timings.ts';

const ROOT = resolve(import.meta.dirname, '..');
const say = (line: string): void => console.log(line);

interface TestRun {
  readonly report: Report;
  readonly passed: boolean;
  /** Processes that the tests left behind. */
  readonly left: readonly string[];
}

/** Unpacks the browser before the tests, which would otherwise do it under their time limits. Returns what failed. */
async function prepare(): Promise<string[]> {
  const progress = makeProgress(say);
  try {
    const note = (text: string): void => progress.note('browser', text);
    await progress.step(
      'browser',
      async () => {
        await unpackBrowserFonts(TOOLS_DIR, note);
        return chromiumPath(TOOLS_DIR, note);
      },
      () => 'ready',
    );
    return [];
  } catch (error) {
    progress.note('browser', 'FAILED');
    return [`\n${messageOf(error)}`];
  }
}

async function runTests(args: readonly string[], signal: AbortSignal): Promise<TestRun> {
  const scratchDir = makeScratchDir();
  const reportFile = join(scratchDir, 'report.json');
  try {
    const passed = await runJest({ root: ROOT, scratchDir, reportFile, args, signal });
    const left = await endLeftBehind(scratchDir);
    return { report: readReport(reportFile, ROOT), passed, left };
  } finally {
    rmSync(scratchDir, { recursive: true, force: true });
  }
}

/** What is wrong beside failed tests. A run of chosen tests may skip the others. */
function problemsOf({ report, left }: TestRun, isWhole: boolean): string[] {
  const skips = isWhole ? forbiddenSkips(report) : [];
  return [
    ...(left.length > 0 ? [`\nThe tests left processes behind, now ended:\n${left.join('\n')}`] : []),
    ...(skips.length > 0 ? [`\nSkipped without a kind (see \`needs\` of the testkit):\n${skips.join('\n')}`] : []),
  ];
}

/** Runs everything and returns the exit code. */
async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  // Until jest runs there is nothing to stop in order: the processes of the checks end with this one.
  const leave = (): never => process.exit(130);
  signal.addEventListener('abort', leave);
  say(`checks and tests${args.length === 0 ? '' : ` (${args.join(' ')})`}, side by side`);
  const checks = runChecks(allChecks(ROOT), say);
  // Finished before the shared stack has started, and so before most services.
  if (args.length === 0) void fillCompileCache(ROOT);
  const problems = await prepare();
  signal.removeEventListener('abort', leave);
  const run = await runTests(args, signal);
  if (signal.aborted) return 130;

  const failedChecks = await checks;
  if (failedChecks.length > 0) problems.push(problemText(failedChecks));
  problems.push(...problemsOf(run, args.length === 0));
  for (const line of [...timingLines(run.report.files), ...skipLines(run.report)]) say(line);
  for (const problem of problems) console.error(problem);
  // A failed check counts as a failed test: the line below never states `0 failed` of a red run.
  const { tally } = run.report;
  const others = failedChecks.length + problems.length - (failedChecks.length > 0 ? 1 : 0);
  const failed = Math.max(tally.failed + others, run.passed ? 0 : 1);
  if (failed === 0 && process.env['RECORD_DURATIONS']) writeFileSync(DURATIONS_FILE, durationsOf(run.report.files));
  writeResult({ ...tally, failed }, run.report);
  say(`\n${tallyLine({ ...tally, failed })}`);
  return failed === 0 ? 0 : 1;
}

// Jest's own search for tests may load this file by its name: imported, it does nothing.
if (import.meta.main) {
  const stopping = new AbortController();
  void onStopSignal(stopping, say);
  const code = await main(process.argv.slice(2), stopping.signal);
  if (stopping.signal.aborted) say('Stopped.');
  process.exit(code);
}
