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
  {
    name: 'skip-kind',
    reason: 'a test is skipped by `needs` of @tidemark/testkit alone, under the kind of what the machine lacks',
    files: ['**'],
    except: ['libs/testkit/src/needs.ts'],
    violations: (modules) =>
      modules.flatMap(({ path, skips }) => skips.map((line) => ({ path, line, what: 'skips tests without a kind' }))),
  },
];
