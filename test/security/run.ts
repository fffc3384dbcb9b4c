/**
 * Runs the whole attack suite: tables of payloads, generated requests, keys and the audit of dependencies.
 *
 *   npm run test:security -- [words for jest]
 */
import { runSuite } from '../../tools/testing/run-suite.ts';

const HELP = `npm run test:security -- [words for jest]

Attacks a fleet of its own as a hostile caller or site would: tables of payloads (libs/testkit/src/cases) against every field that takes
such input, generated requests to every route, every route with every kind of key, and an audit of the dependencies. Takes about ten
minutes. Fields, routes and expected responses are derived from the OpenAPI document.

  -- fuzz                 the generated requests alone
  -- -t 'POST /crawl'     one route
  SECURITY_SEED=1         repeats what is generated; a failure prints its seed
  SECURITY_RUNS=150       generated requests to each route
  SECURITY_SECONDS=180    time for all generated requests
  SECURITY_PAYLOADS=4     payloads of each table for each field; 0 for all, which takes hours`;

function prepare(): void {
  process.env['SECURITY_WHOLE'] = '1';
  process.env['SECURITY_SEED'] ??= String(Date.now() % 1_000_000_000);
  console.log(`seed ${process.env['SECURITY_SEED']}`);
}

await runSuite({ config: 'test/security/jest.config.mjs', help: HELP, prepare });
