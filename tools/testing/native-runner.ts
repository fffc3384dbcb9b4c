import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { boundFailures } from './bound-failures.ts';
import { type JestGlobals, provideJestGlobals, setJestGlobals } from './jest-globals.ts';

interface TestResult {
  readonly failureMessage?: string | null;
}

/** The part of jest-circus's internal adapter that is used here. */
interface Circus {
  initialize(options: Record<string, unknown>): Promise<unknown>;
  runAndTransformResultsToJestFormat(options: Record<string, unknown>): Promise<TestResult>;
}

const require = createRequire(import.meta.url);
const CIRCUS = join(dirname(require.resolve('jest-circus/package.json')), 'build/jestAdapterInit.js');

provideJestGlobals();
endWithoutCleanup();
const imported = new Set<string>();

/**
 * Runs one test file for jest: with jest-circus, but on Node's own module graph instead of jest's. Node strips the types, and a module is
 * loaded once per worker instead of once per test file, which takes a third of the time and a fifth of the memory. So module state is
 * shared by the files of a worker, and there are no module mocks.
 */
// biome-ignore lint/style/noDefaultExport: jest loads a test runner so.
export default async function runTestFile(
  ...[globalConfig, config, environment, runtime, testPath, sendMessageToJest]: [
    Record<string, unknown>,
    Record<string, unknown>,
    object,
    object,
    string,
    unknown,
  ]
): Promise<TestResult> {
  // A new copy for every file: the adapter keeps a file's tests in its own state.
  delete require.cache[CIRCUS];
  const circus: Circus = require(CIRCUS);
  const fileUrl = urlOf(testPath);
  const setupAfterEnvStart = Date.now();
  await circus.initialize({
    config: { ...config, injectGlobals: false },
    environment,
    globalConfig,
    localRequire: require,
    parentProcess: process,
    runtime,
    sendMessageToJest,
    setGlobalsForRuntime: (globals: JestGlobals) => setJestGlobals(globals, fileUrl),
    testPath,
  });
  await import(fileUrl);
  const setupAfterEnvPerfStats = { setupAfterEnvStart, setupAfterEnvEnd: Date.now() };
  const result = await circus.runAndTransformResultsToJestFormat({
    config,
    globalConfig,
    setupAfterEnvPerfStats,
    testPath,
  });
  return result.failureMessage ? { ...result, failureMessage: boundFailures(result.failureMessage) } : result;
}

/** Returns the URL to import a test file by: another one each time, for watch mode. */
function urlOf(file: string): string {
  const url = pathToFileURL(file);
  if (imported.has(file)) url.searchParams.set('run', String(Date.now()));
  imported.add(file);
  return url.href;
}

/**
 * Ends a worker as soon as nothing keeps it running. Otherwise Node frees the whole heap first, object by object: up to a second for the hundreds
 * of megabytes of a worker, after which jest takes it for one with open handles. A worker that has open handles is not affected: `beforeExit`
 * is emitted when there are none.
 */
function endWithoutCleanup(): void {
  process.once('beforeExit', () => process.exit());
}
