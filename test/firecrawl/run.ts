/**
 * Runs unmodified clients of Firecrawl against the fleet.
 *
 *   npm run test:firecrawl -- [words for jest]
 */
import { runSuite } from '../../tools/testing/run-suite.ts';

const HELP = `npm run test:firecrawl -- [words for jest]

Runs the SDK for JavaScript, the command line and the MCP server of Firecrawl and a loader of LangChain (from npm, into
.tidemark/tools/npm) against /firecrawl of a fleet. The first run needs the network.`;

await runSuite({ config: 'test/firecrawl/jest.config.mjs', help: HELP });
