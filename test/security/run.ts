/**
 * Runs the whole attack suite: corpora, generated requests, keys and the audit of dependencies.
 *
 *   npm run test:security -- [words for jest]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onStopSignal } from '../../deploy/local/stop-signal.ts';
import { endLeftBehind } from '../../tools/testing/left-behind.ts';
import { readReport, tallyLine } from '../../tools/testing/report.ts';
import { runJest } from '../../tools/testing/run-jest.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const HELP = `npm run test:security -- [words for jest]

Attacks a fleet of its own as a hostile caller or site would: the corpora of ../shared/corpora/attack against every field that takes
such input, generated requests to every route, every route with every kind of key, and an audit of the dependencies. Takes about ten
minutes. Fields, routes and expected answers are derived from the OpenAPI document.

  -- fuzz                 the generated requests alone
  -- -t 'POST /crawl'     one route
  SECURITY_SEED=1         repeats what is generated; a failure prints its seed
  SECURITY_RUNS=150       generated requests to each route
  SECURITY_SECONDS=180    time for all generated requests
  SECURITY_PAYLOADS=4     payloads of each corpus for each field; 0 for all, which takes hours`;

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const scratchDir = mkdtempSync(join(tmpdir(), 'tm-'));
  const reportFile = join(scratchDir, 'report.json');
  process.env['SECURITY_WHOLE'] = '1';
  process.env['SECURITY_SEED'] ??= String(Date.now() % 1_000_000_000);
  console.log(`seed ${process.env['SECURITY_SEED']}`);
  try {
    const config = ['--config', join(ROOT, 'test/security/jest.config.mjs')];
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
