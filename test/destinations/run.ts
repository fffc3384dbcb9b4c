/**
 * Runs the drivers of destinations on real servers.
 *
 *   npm run test:destinations -- [words for jest]
 */
import { runSuite } from '../../tools/testing/run-suite.ts';

const HELP = `npm run test:destinations -- [words for jest]

Runs the contract of destinations on real servers: MariaDB and OpenSSH from Debian's archive, unpacked under .tidemark/tools, and
ClickHouse (chdb) and Azurite from npm. The first run needs the network; a server that can not be fetched is named, and its tests are skipped.
  -- mysql          the tests of one server`;

await runSuite({ config: 'test/destinations/jest.config.mjs', help: HELP });
