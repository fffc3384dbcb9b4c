import { common } from '../../jest.config.mjs';

// Files read by other programs, which are fetched at the first run: `npm test` runs none of it.
// biome-ignore lint/style/noDefaultExport: jest reads its configuration so.
export default {
  ...common,
  displayName: 'foreign-readers',
  rootDir: '../..',
  roots: ['<rootDir>/services/export/test/readers'],
  testMatch: ['**/*.long.ts'],
  maxWorkers: 1,
  testTimeout: 60_000,
};
