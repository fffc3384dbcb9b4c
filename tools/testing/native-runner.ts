import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Circus, Config } from '@jest/types';
import { addEventHandler, getState, removeEventHandler, resetState, run } from 'jest-circus';
import { type FileResult, fileResultOf } from './file-result.ts';
import { provideJestGlobals } from './jest-globals.ts';

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
  ...[globalConfig, config, , , testPath]: [
    Config.GlobalConfig,
    Config.ProjectConfig,
    environment: object,
    runtime: object,
    string,
  ]
): Promise<FileResult> {
  const startedAt = Date.now();
  resetState();
  const state = getState();
  if (globalConfig.testTimeout !== undefined) state.testTimeout = globalConfig.testTimeout;
  const { testNamePattern } = globalConfig;
  state.testNamePattern = testNamePattern === undefined ? null : new RegExp(testNamePattern, 'i');
  const stopCollecting = collectUnhandledErrors();
  try {
    await import(urlOf(testPath));
    return fileResultOf(await run(), { testPath, startedAt, config });
  } finally {
    stopCollecting();
    // Frees the tests of the file.
    resetState();
  }
}

const EVENTS = ['uncaughtException', 'unhandledRejection', 'rejectionHandled'] as const;

/**
 * Adds errors that nothing catches to the test that is running, or to the file; a rejection that is handled before its test ends does not count.
 * The listeners of the process are set aside until the returned function is called.
 */
function collectUnhandledErrors(): () => void {
  const rejected = new Map<Promise<unknown>, unknown>();
  const record = (error: unknown): void => {
    const { currentlyRunningTest, unhandledErrors } = getState();
    const errors: unknown[] = currentlyRunningTest?.errors ?? unhandledErrors;
    errors.push(error);
  };
  const recordRejections: Circus.EventHandler = async ({ name }) => {
    if (!/^(test_fn|hook)_(success|failure)$/.test(name)) return;
    // Node reports a rejection, and that it was handled, after the microtasks of this turn.
    await nextTurn();
    for (const error of rejected.values()) record(error);
    rejected.clear();
  };
  const earlier = EVENTS.map((event) => [event, process.rawListeners(event)] as const);
  for (const event of EVENTS) process.removeAllListeners(event);
  process.on('uncaughtException', record);
  process.on('unhandledRejection', (error, promise) => void rejected.set(promise, error));
  process.on('rejectionHandled', (promise) => void rejected.delete(promise));
  addEventHandler(recordRejections);
  return () => {
    removeEventHandler(recordRejections);
    for (const [event, listeners] of earlier) {
      process.removeAllListeners(event);
      for (const listener of listeners)
        process.on(event, (...args: unknown[]) => void Reflect.apply(listener, process, args));
    }
  };
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
