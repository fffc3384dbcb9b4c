export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/services', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/tools', '<rootDir>/deploy'],
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
  maxWorkers: 2,
  testTimeout: 30_000,
};
