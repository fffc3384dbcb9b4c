import whole from '../../jest.config.mjs';

/** Everything that breaks what it runs on: what `npm test` runs of it, and the crawls that take minutes. */
const faults = whole.projects.find(({ displayName }) => displayName === 'faults');
// biome-ignore lint/style/noDefaultExport: jest reads its configuration so.
export default {
  ...faults,
  rootDir: '../..',
  testMatch: ['**/*.test.ts', '**/*.long.ts'],
  maxWorkers: 1,
  testTimeout: 60_000,
};
