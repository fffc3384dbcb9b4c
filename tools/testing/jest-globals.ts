import { registerHooks } from 'node:module';

const URL = 'tidemark:jest-globals';
const NAMES = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'test'] as const;

export type JestGlobals = Readonly<Record<(typeof NAMES)[number], object>>;

let current: JestGlobals | undefined;
let currentFileUrl = '';
let files = 0;

/** Sets what `@jest/globals` stands for while a test file runs: jest makes new functions for every file. */
export function setJestGlobals(globals: JestGlobals, fileUrl: string): void {
  current = globals;
  currentFileUrl = fileUrl;
  files += 1;
}

function currentGlobals(): JestGlobals {
  if (current === undefined) throw new Error('@jest/globals is used outside of a test file');
  return current;
}

/** A function that calls, and has the properties of, the global of the test file that runs now. */
const delegateTo = (name: keyof JestGlobals): object =>
  new Proxy(() => undefined, {
    get: (_, key) => Reflect.get(currentGlobals()[name], key),
    apply: (_, self, args) => {
      const callee = currentGlobals()[name];
      if (typeof callee !== 'function') throw new Error(`${name} of @jest/globals is no function`);
      return Reflect.apply(callee, self, args);
    },
  });

/**
 * Resolves `@jest/globals`, which Node itself cannot load. A test file gets the functions jest made for it; a helper, which is imported
 * once for many files, gets functions that delegate to those.
 */
export function provideJestGlobals(): void {
  const delegates = Object.fromEntries(NAMES.map((name) => [name, delegateTo(name)]));
  const source = (key: string): string =>
    `export const { ${NAMES.join(', ')} } = globalThis[Symbol.for('${URL}')].${key};`;
  Object.defineProperty(globalThis, Symbol.for(URL), {
    value: {
      delegates,
      get current() {
        return currentGlobals();
      },
    },
  });
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== '@jest/globals') return next(specifier, context);
      return { url: context.parentURL === currentFileUrl ? `${URL}/${files}` : URL, shortCircuit: true };
    },
    load(url, context, next) {
      if (!url.startsWith(URL)) return next(url, context);
      return { format: 'module', source: source(url === URL ? 'delegates' : 'current'), shortCircuit: true };
    },
  });
}
