import { common } from '../../jest.config.mjs';

// Clients of Firecrawl, which are fetched at the first run: `npm test` runs none of it.
// biome-ignore lint/style/noDefaultExport: jest reads its configuration so.
export default {
  ...common,
  displayName: 'firecrawl',
  rootDir: '../..',
  roots: ['<rootDir>/test/firecrawl'],
  testMatch: ['**/*.long.ts'],
  globalSetup: '<rootDir>/test/harness/fleet-setup.ts',
  globalTeardown: '<rootDir>/test/harness/fleet-teardown.ts',
  maxWorkers: 1,
  testTimeout: 60_000,
};
