/**
 * Injects faults into a working fleet and checks that nothing is lost or done twice.
 *
 *   npm run test:faults -- [words for jest]
 *
 * `npm run test:faults -- crawl` runs the files of that name, `-- -t 'NATS'` the tests.
 */
import { runSuite } from '../../tools/testing/run-suite.ts';

const HELP = `npm run test:faults -- [words for jest]

Kills services, browsers, PostgreSQL, NATS and Redis under load, a crawl of 2,000 pages among it, and checks that every accepted job
ends, every page is stored and charged once, and work goes on within seconds. Takes about a quarter of an hour.
  -- billing-             kills of billing at each step, and faults of the payment gateway
  -- crawl-faults         the long crawls alone; their account is printed at the end
  -- -t 'Postgres killed'  tests of that name`;

await runSuite({ config: 'test/faults/jest.config.mjs', help: HELP });
