import { common, withTestServers } from '../../jest.config.mjs';

// Drills of an operator, each on installations of its own: they take minutes, so that `npm test` runs none of them.
// biome-ignore lint/style/noDefaultExport: jest reads its configuration so.
export default {
  ...common,
  ...withTestServers,
  displayName: 'operate',
  roots: ['<rootDir>/test/operate'],
  rootDir: '../..',
  testMatch: ['**/*.long.ts'],
  maxWorkers: 1,
  testTimeout: 120_000,
};
