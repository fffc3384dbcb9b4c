/**
 * Runs the unmodified SDK of Firecrawl against the fleet.
 *
 *   npm run test:firecrawl -- [words for jest]
 */
import { runSuite } from '../../tools/testing/run-suite.ts';

const HELP = `npm run test:firecrawl -- [words for jest]

Runs the SDK of Firecrawl for JavaScript (from npm, into .tidemark/tools/npm) against /firecrawl/v2 of a fleet. The first run needs the
network.`;

await runSuite({ config: 'test/firecrawl/jest.config.mjs', help: HELP });
