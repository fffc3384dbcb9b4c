import { common, withTestServers } from '../../jest.config.mjs';

// Drivers of destinations on servers that take long to install or to start: `npm test` runs none of it.
// biome-ignore lint/style/noDefaultExport: jest reads its configuration so.
export default {
  ...common,
  ...withTestServers,
  displayName: 'destinations',
  rootDir: '../..',
  roots: ['<rootDir>/services/export/test/real'],
  testMatch: ['**/*.long.ts'],
  maxWorkers: 1,
  // mysql2 keeps the timer of a statement, ten minutes, where the server was killed.
  forceExit: true,
  testTimeout: 60_000,
};
