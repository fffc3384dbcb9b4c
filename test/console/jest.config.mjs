import { common } from '../../jest.config.mjs';

// Every page of the console on a stack of its own. `npm test` runs one journey: test/e2e/console.test.ts.
// biome-ignore lint/style/noDefaultExport: jest reads its configuration so.
export default {
  ...common,
  displayName: 'console',
  rootDir: '../..',
  roots: ['<rootDir>/test/console'],
  testMatch: ['**/*.long.ts'],
  globalSetup: '<rootDir>/test/harness/fleet-setup.ts',
  globalTeardown: '<rootDir>/test/harness/fleet-teardown.ts',
  maxWorkers: 1,
  testTimeout: 120_000,
};
