/** Every suite, in the order in which `npm run test:all` runs them: the name of its script in package.json. `docs/commands.md` describes each. */
export const SUITES = [
  'test',
  'test:faults',
  'test:operate',
  'test:console',
  'test:security',
  'test:destinations',
  'test:foreign-readers',
  'test:firecrawl',
  'test:mcp',
] as const;

export type Suite = (typeof SUITES)[number];

/** The environment key that names the file into which a suite writes its result. */
export const RESULT_FILE = 'TEST_RESULT_FILE';
