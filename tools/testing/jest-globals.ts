import { registerHooks } from 'node:module';

const RUNNER = new URL('./test-functions.ts', import.meta.url).href;

/**
 * Resolves `@jest/globals`, which Node itself can not load, to the functions of jest-circus and expect. They are the same functions for each
 * test file; jest-circus keeps the tests of a file in a state that is reset between files.
 */
export function provideJestGlobals(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '@jest/globals' ? { url: RUNNER, shortCircuit: true } : next(specifier, context),
  });
}
