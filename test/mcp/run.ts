/**
 * Checks the MCP endpoint with the conformance suite and the inspector of the protocol.
 *
 *   npm run test:mcp -- [words for jest]
 */
import { runSuite } from '../../tools/testing/run-suite.ts';

const HELP = `npm run test:mcp -- [words for jest]

Runs the conformance suite of the Model Context Protocol for both revisions and prints the score with the expected failures, and calls
the tools with the protocol's inspector (from npm, into .tidemark/tools/npm) over HTTP and over standard input and output. The first run needs
the network.`;

await runSuite({ config: 'test/mcp/jest.config.mjs', help: HELP });
