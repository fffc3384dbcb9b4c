/**
 * Runs the drills of an operator.
 *
 *   npm run test:operate -- [words for jest]
 */
import { runSuite } from '../../tools/testing/run-suite.ts';

const HELP = `npm run test:operate -- [words for jest]

Backs up a fleet under load and restores it into an empty installation, with and without its keys, with a lost and an older JetStream; rotates keys;
erases workspaces, projects and people and searches every store; moves a workspace; measures changes with the canary; upgrades from the previous release; builds and starts the
images and the bundle. Takes about ten minutes.
  -- backup                 the files of that name
  -- -t 'older JetStream'   tests of that name`;

await runSuite({ config: 'test/operate/jest.config.mjs', help: HELP });
