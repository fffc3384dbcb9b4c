import { common, withTestServers } from '../../jest.config.mjs';

// Everything that breaks what it runs on, each file on a stack of its own: it takes minutes, so that `npm test` runs none of it.
// biome-ignore lint/style/noDefaultExport: jest reads its configuration so.
export default {
  ...common,
  ...withTestServers,
  displayName: 'faults',
  roots: ['test/faults', 'services/projects/test', 'services/billing/test'].map((folder) => `<rootDir>/${folder}`),
  rootDir: '../..',
  testMatch: ['**/*.long.ts'],
  maxWorkers: 1,
  testTimeout: 60_000,
};
