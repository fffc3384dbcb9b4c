// `npm run check`: all static checks of the tree. `npm test` runs them in parallel with the tests.
import { resolve } from 'node:path';
import { allChecks, problemText, runChecks } from './checks/run-checks.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

const failed = await runChecks(allChecks(resolve(import.meta.dirname, '..')), (line) => console.log(line));
if (failed.length > 0) {
  console.error(problemText(failed));
  console.error(`\n${failed.length} ${failed.length === 1 ? 'check' : 'checks'} failed.`);
  process.exitCode = 1;
}
