/**
 * Injects faults into a working fleet and checks that nothing is lost or done twice.
 *
 *   npm run test:faults -- [words for jest]
 *
 * `npm run test:faults -- crawl` runs the files of that name, `-- -t 'NATS'` the tests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onStopSignal } from '../../deploy/local/stop-signal.ts';
import { endLeftBehind } from '../../tools/testing/left-behind.ts';
import { readReport, tallyLine } from '../../tools/testing/report.ts';
import { runJest } from '../../tools/testing/run-jest.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const HELP = `npm run test:faults -- [words for jest]

Kills services, browsers, PostgreSQL, NATS and Redis under load, a crawl of 2,000 pages among it, and checks that every accepted job
ends, every page is stored and charged once, and work goes on within seconds. Takes about a quarter of an hour.
  -- crawl-faults         the long crawls alone; their account is printed at the end
  -- -t 'Postgres killed'  tests of that name`;

/** The exit code. */
async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const scratchDir = mkdtempSync(join(tmpdir(), 'tm-'));
  const reportFile = join(scratchDir, 'report.json');
  try {
    const config = ['--config', join(ROOT, 'test/faults/jest.config.mjs')];
    const passed = await runJest({ root: ROOT, scratchDir, reportFile, args: [...config, ...args], signal });
    const left = await endLeftBehind(scratchDir);
    if (left.length > 0) console.error(`\nThe tests left processes behind, now ended:\n${left.join('\n')}`);
    const { tally } = readReport(reportFile, ROOT);
    const failed = Math.max(tally.failed + (left.length > 0 ? 1 : 0), passed ? 0 : 1);
    console.log(`\n${tallyLine({ ...tally, failed })}`);
    return failed === 0 ? 0 : 1;
  } finally {
    rmSync(scratchDir, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
if (args.includes('--help')) console.log(HELP);
else {
  const stopping = new AbortController();
  void onStopSignal(stopping, (line) => console.log(line));
  process.exit(await main(args, stopping.signal));
}
