import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onStopSignal } from '../../deploy/local/stop-signal.ts';
import { endLeftBehind } from './left-behind.ts';
import { forbiddenSkips, readReport, skipLines, tallyLine } from './report.ts';
import { runJest } from './run-jest.ts';
import { makeScratchDir } from './scratch-dir.ts';
import { writeResult } from './suite-result.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A suite with a jest configuration of its own. */
interface Suite {
  /** Path of the jest configuration, from the root of the repository. */
  readonly config: string;
  /** Printed for `--help`, in place of a run. */
  readonly help: string;
  /** Sets what the tests read from the environment. */
  readonly prepare?: () => void;
}

/** Runs a suite with the words of the command line for jest, and ends the process with its exit code. */
export async function runSuite({ config, help, prepare }: Suite): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) return console.log(help);
  prepare?.();
  const stopping = new AbortController();
  void onStopSignal(stopping, (line) => console.log(line));
  process.exit(await run(config, args, stopping.signal));
}

/** Runs jest in a temporary folder of its own. Returns the exit code. A run of chosen tests may skip the others. */
async function run(config: string, chosen: readonly string[], signal: AbortSignal): Promise<number> {
  const args = ['--config', join(ROOT, config), ...chosen];
  const isWhole = chosen.length === 0;
  const scratchDir = makeScratchDir();
  const reportFile = join(scratchDir, 'report.json');
  try {
    const passed = await runJest({ root: ROOT, scratchDir, reportFile, args, signal });
    const left = await endLeftBehind(scratchDir);
    if (left.length > 0) console.error(`\nThe tests left processes behind, now ended:\n${left.join('\n')}`);
    const report = readReport(reportFile, ROOT);
    for (const line of skipLines(report)) console.log(line);
    const skips = isWhole ? forbiddenSkips(report) : [];
    if (skips.length > 0)
      console.error(`\nSkipped without a kind (see \`needs\` of the testkit):\n${skips.join('\n')}`);
    const { tally } = report;
    const others = (left.length > 0 ? 1 : 0) + (skips.length > 0 ? 1 : 0);
    const failed = Math.max(tally.failed + others, passed ? 0 : 1);
    writeResult({ ...tally, failed }, report);
    console.log(`\n${tallyLine({ ...tally, failed })}`);
    return failed === 0 ? 0 : 1;
  } finally {
    rmSync(scratchDir, { recursive: true, force: true });
  }
}
