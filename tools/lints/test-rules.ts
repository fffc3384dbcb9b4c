import type { Rule } from './rule.ts';

/** Rules for tests. */
export const TEST_RULES: readonly Rule[] = [
  {
    name: 'no-sleep',
    reason:
      'a test waits for a condition (`until`, `untilQuiet`) or moves a clock; a fake that simulates latency uses `takes`',
    files: [
      '{libs,packages,services,deploy,tools}/**/*.test.ts',
      '{libs,packages,services}/*/test/**',
      'libs/testkit/**',
      'test/**',
    ],
    except: ['test/bench/**', 'libs/testkit/src/{until,takes}.ts'],
    violations: (modules) =>
      modules.flatMap(({ path, sleeps }) => sleeps.map((line) => ({ path, line, what: 'waits for a fixed time' }))),
  },
];
