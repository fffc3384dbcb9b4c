import { common } from '../../jest.config.mjs';

// The whole attack suite on a stack of its own. `npm test` runs its short part: the files named *.test.ts with few requests.
// biome-ignore lint/style/noDefaultExport: jest reads its configuration so.
export default {
  ...common,
  displayName: 'security',
  rootDir: '../..',
  roots: ['<rootDir>/test/security', '<rootDir>/test/isolation'],
  testMatch: ['**/*.test.ts', '**/*.long.ts'],
  globalSetup: '<rootDir>/test/security/fleet-setup.ts',
  globalTeardown: '<rootDir>/test/security/fleet-teardown.ts',
  maxWorkers: 1,
  testTimeout: 60_000,
};
