/**
 * Opens every page of the console in a browser.
 *
 *   npm run test:console -- [words for jest]
 */
import { runSuite } from '../../tools/testing/run-suite.ts';

const HELP = `npm run test:console -- [words for jest]

Starts a fleet of its own with the console, and opens every page in Chromium, light and dark, at 1440 by 900 and 390 by 844. Fails for
errors of the browser, reports of the content security policy, findings of axe and sideways scrolling. Screenshots of failures are in
.tidemark/console-failures.

  -- -t 'projects'              one page
  CONSOLE_PICTURES=<folder>     also keeps a screenshot of every page (npm run pictures)`;

await runSuite({ config: 'test/console/jest.config.mjs', help: HELP });
