export const common = {
  // Jest's default would take tools/test.ts, which runs jest, for a test.
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
  transform: {},
  testEnvironment: '<rootDir>/tools/testing/native-environment.ts',
  testRunner: '<rootDir>/tools/testing/native-runner.ts',
};

/** What suites that make a database or start a bus need. */
export const withTestServers = {
  globalSetup: '<rootDir>/tools/testing/servers-setup.ts',
  globalTeardown: '<rootDir>/tools/testing/servers-teardown.ts',
};

const SHARED = ['contract', 'isolation', 'e2e', 'security'].map((suite) => `<rootDir>/test/${suite}`);
const OWN = ['services', 'libs', 'packages', 'tools', 'deploy', 'bench', 'test/web', 'test/harness', 'test/accounts'];

export default {
  projects: [
    {
      ...common,
      ...withTestServers,
      displayName: 'units',
      roots: OWN.map((folder) => `<rootDir>/${folder}`),
    },
    {
      // One stack for all of these: each test makes workspaces of its own in it.
      ...common,
      displayName: 'fleet',
      roots: SHARED,
      globalSetup: '<rootDir>/test/harness/fleet-setup.ts',
      globalTeardown: '<rootDir>/test/harness/fleet-teardown.ts',
    },
  ],
  testSequencer: '<rootDir>/tools/testing/long-first-sequencer.ts',
  // Two for each of two cores: half of what a test file takes is waiting.
  maxWorkers: 4,
  // A worker of some hundred megabytes may take longer to end than the default, half a second, while others use the cores.
  workerGracefulExitTimeout: 10_000,
  testTimeout: 120_000,
};
