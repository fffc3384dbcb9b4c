import { registerHooks } from 'node:module';

const URL = 'tidemark:jest-globals';
const NAMES = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'test'] as const;

export type JestGlobals = Readonly<Record<(typeof NAMES)[number], object>>;

const MODULE = `export const { ${NAMES.join(', ')} } = globalThis[Symbol.for('${URL}')];`;

let current: JestGlobals | undefined;

/** Sets what `@jest/globals` stands for from now on: jest makes new functions for every test file. */
export function setJestGlobals(globals: JestGlobals): void {
  current = globals;
}

/** A function that calls, and has the properties of, the global of the test file that runs now: a helper is imported once for many files. */
function delegateTo(name: keyof JestGlobals): object {
  const target = (): object => {
    if (current === undefined) throw new Error(`${name} of @jest/globals is called outside of a test file`);
    return current[name];
  };
  return new Proxy(() => undefined, {
    get: (_, key) => Reflect.get(target(), key),
    apply: (_, self, args) => {
      const callee = target();
      if (typeof callee !== 'function') throw new Error(`${name} of @jest/globals is no function`);
      return Reflect.apply(callee, self, args);
    },
  });
}

/** Resolves `@jest/globals`, which Node itself cannot load, to the globals of the test file that runs. */
export function provideJestGlobals(): void {
  const delegates = Object.fromEntries(NAMES.map((name) => [name, delegateTo(name)]));
  Object.defineProperty(globalThis, Symbol.for(URL), { value: delegates });
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '@jest/globals' ? { url: URL, shortCircuit: true } : next(specifier, context),
    load: (url, context, next) =>
      url === URL ? { format: 'module', source: MODULE, shortCircuit: true } : next(url, context),
  });
}
