import { common } from '../../jest.config.mjs';

// The inspector is fetched at the first run: `npm test` runs none of it.
// biome-ignore lint/style/noDefaultExport: jest reads its configuration so.
export default {
  ...common,
  displayName: 'mcp',
  rootDir: '../..',
  roots: ['<rootDir>/services/mcp/test'],
  testMatch: ['**/*.long.ts'],
  maxWorkers: 1,
  testTimeout: 60_000,
};
