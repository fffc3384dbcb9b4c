/**
 * Reads exported files with other programs.
 *
 *   npm run test:foreign-readers -- [words for jest]
 */
import { runSuite } from '../../tools/testing/run-suite.ts';

const HELP = `npm run test:foreign-readers -- [words for jest]

Reads exported files with DuckDB, pandas and openpyxl (Python packages, installed with pip into .tidemark/tools/python), warcio (from npm,
into .tidemark/tools/npm), sqlite3 and unzip (of the system: apt-get install sqlite3 unzip python3-venv). A reader that is absent is
named with the reason, and its tests are skipped.`;

await runSuite({ config: 'test/foreign-readers/jest.config.mjs', help: HELP });
