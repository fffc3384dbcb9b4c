import { execFileSync } from 'node:child_process';

/** A construct whose lines are counted. */
interface Construct {
  readonly name: string;
  /** Extended regular expression of `git grep`. */
  readonly pattern: string;
  /** Pathspecs. */
  readonly files: readonly string[];
}

const PRODUCTION: readonly string[] = [
  'services/*.ts',
  'services/*.tsx',
  'libs/*.ts',
  'packages/*.ts',
  ':!*.test.ts',
  ':!*.test.tsx',
  ':!*.long.ts',
  ':!*/test/*',
  ':!libs/testkit/*',
];
const PROTOS: readonly string[] = ['proto/*.proto'];

/** What a review of the code counts: constructs that hide what a part needs, or that the compiler does not check. */
export const CONSTRUCTS: readonly Construct[] = [
  { name: 'spreads of object and array literals', pattern: String.raw`\.\.\.(\{|\[)`, files: PRODUCTION },
  { name: 'types derived from a maker (ReturnType<typeof)', pattern: 'ReturnType<typeof', files: PRODUCTION },
  {
    name: 'states as strings in protos',
    pattern:
      '^ *(optional |repeated )?string ([a-z]+_)*(status|state|verdict|kind|stop|mode|trigger|outcome|engine|tier|method|role|phase) =',
    files: PROTOS,
  },
  { name: 'enums in protos', pattern: '^ *enum ', files: PROTOS },
  { name: 'JSON texts in protos (_json)', pattern: '_json(_[a-z]+)? =', files: PROTOS },
  { name: 'empty values with a meaning in protos', pattern: '[Ee]mpty(:| if| where)', files: PROTOS },
  {
    name: 'statements without checked rows (.query)',
    pattern: String.raw`\.query(<|\()`,
    files: ['services/*/src/*.ts', ':!*.test.ts'],
  },
  { name: "comparisons with the empty string (=== '')", pattern: "[!=]== ''", files: PRODUCTION },
  { name: "defaults of the empty string (?? '')", pattern: String.raw`\?\? ''`, files: PRODUCTION },
];

/** Returns the matching lines of each construct in a commit of the repository. */
export const countConstructs = (root: string, commit: string): readonly (readonly [name: string, lines: number])[] =>
  CONSTRUCTS.map(({ name, pattern, files }) => [name, matchingLines(root, ['-E', pattern, commit, '--', ...files])]);

function matchingLines(root: string, search: readonly string[]): number {
  try {
    const counts = execFileSync('git', ['grep', '-c', ...search], { cwd: root, encoding: 'utf8' });
    return counts.split('\n').reduce((sum, line) => sum + Number(line.split(':').at(-1) ?? 0), 0);
  } catch (error) {
    // `git grep` ends with 1 where no line matches.
    if (error instanceof Error && 'status' in error && error.status === 1) return 0;
    throw error;
  }
}
