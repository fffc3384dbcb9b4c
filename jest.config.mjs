export const common = {
  testEnvironment: 'node',
  // Jest's default would take tools/test.ts, which runs jest, for a test.
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  testEnvironmentOptions: { customExportConditions: ['tidemark-source', 'node', 'node-addons'] },
};

const SHARED = ['contract', 'isolation', 'e2e', 'security'].map((suite) => `<rootDir>/test/${suite}`);
const OWN = ['services', 'libs', 'tools', 'deploy', 'bench', 'test/web', 'test/harness'];

export default {
  projects: [
    { ...common, displayName: 'units', roots: OWN.map((folder) => `<rootDir>/${folder}`) },
    {
      // One stack for all of these: each test makes workspaces of its own in it.
      ...common,
      displayName: 'fleet',
      roots: SHARED,
      globalSetup: '<rootDir>/test/harness/setup-shared-stack.mjs',
      globalTeardown: '<rootDir>/test/harness/teardown-shared-stack.mjs',
    },
  ],
  maxWorkers: 2,
  testTimeout: 60_000,
};
