import { eachImport, never, noGlobals, noOther, only, type Rule } from './rule.ts';
import { ownerOf, packageName } from './source-tree.ts';

const PRODUCTS = ['libs/*/src/**', 'services/*/src/**'];
const BLACK_BOX = 'test/{e2e,contract,isolation,security}/**';

/** Types come with a package's own dependency or with `@types/…`; what runs must be a dependency; tests may use the tools too. */
const declared = eachImport((found, { owner, isTest, path }, { root }) => {
  const name = found.specifier === undefined ? undefined : packageName(found.specifier);
  if (name === undefined || name.startsWith('.') || found.target.startsWith('node:')) return undefined;
  const tools =
    isTest || owner === root || path.endsWith('.config.ts') ? [...owner.devDependencies, ...root.devDependencies] : [];
  const types = found.typeOnly ? [...owner.devDependencies] : [];
  const known = new Set([owner.name, ...owner.dependencies, ...tools, ...types]);
  if (known.has(name) || (found.typeOnly && known.has(`@types/${name}`))) return undefined;
  return `imports ${name}, which ${owner.dir || 'the root'}’s package.json does not name`;
});

/** A relative path stays in its package: other packages are reached by name, through what they export. */
const insideOwnPackage = eachImport((found, { owner, isTest }, { packages, root }) => {
  if (found.specifier?.startsWith('.') !== true) return undefined;
  // Tests of a service start the servers that `npm start` starts; these belong to no package.
  if (isTest && owner.dir.startsWith('services/') && found.target.startsWith('deploy/local/')) return undefined;
  return (ownerOf(found.target, packages) ?? root) === owner ? undefined : `reaches into ${found.target}`;
});

const readable = eachImport((found) =>
  found.specifier === undefined ? 'imports what only a run can tell' : undefined,
);

/** The layers of the house: who may import whom. */
export const LAYER_RULES: readonly Rule[] = [
  {
    name: 'services-apart',
    says: 'services meet over gRPC and the bus, never in code',
    files: ['services/**'],
    faults: noOther('services/**'),
  },
  {
    name: 'libs-below',
    says: 'a library imports no service, and nothing of deploy, tools or test',
    files: ['libs/**'],
    faults: noOther('{services,deploy,tools,test}/**'),
  },
  ...['contracts', 'errors', 'web-url'].map((lib) => ({
    name: `${lib}-alone`,
    says: `libs/${lib} stands on no other lib of ours`,
    files: [`libs/${lib}/**`],
    faults: noOther('libs/**'),
  })),
  {
    name: 'domain-imports',
    says: 'the domain decides and reaches for nothing: its own files, errors, web-url, hashing, our name among robots, a regex engine without backtracking, and types of messages and prices',
    files: ['services/*/src/domain/**'],
    tests: 'exempt',
    faults: only(
      '{own}/src/domain/**',
      'libs/errors/**',
      'libs/web-url/**',
      'type libs/contracts/*/v1/*',
      'type libs/catalogue/**',
      'libs/egress/user-agent',
      'npm:re2js',
      'node:crypto',
      'node:zlib',
    ),
  },
  {
    name: 'domain-pure',
    says: 'time, chance, settings and the outside world come in as arguments',
    files: ['services/*/src/domain/**'],
    tests: 'exempt',
    faults: noGlobals(
      ...[
        'Date.now',
        'new Date()',
        'performance',
        'Math.random',
        'crypto',
        'process',
        'console',
        'fetch',
        'globalThis[…]',
      ],
      ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'WebSocket', 'EventSource'],
    ),
  },
  {
    name: 'content-pure',
    says: 'html in, value out: parsers and the evidence’s type, no files and no net',
    files: ['services/scrape/src/content/**'],
    tests: 'exempt',
    faults: only(
      '{own}/src/content/**',
      'type {own}/src/domain/**',
      'libs/web-url/**',
      'libs/egress/user-agent',
      // What a page is cut into, and its hashes.
      'libs/contracts/page/v1/blocks',
      'node:crypto',
      'node:buffer',
      'npm:*',
      'npm:*/**',
    ),
  },
  {
    name: 'black-box',
    says: 'these tests know the product over HTTP alone',
    files: [BLACK_BOX],
    faults: noOther('services/**'),
  },
  {
    name: 'tests-outside',
    says: 'what ships imports no test and no testkit',
    files: PRODUCTS,
    except: ['libs/testkit/**'],
    tests: 'exempt',
    faults: never('**/*.test.ts', '{own}/test/**', 'libs/testkit/**'),
  },
  {
    name: 'declared',
    says: 'a package imports what its own package.json names',
    files: ['{bench,libs,services,deploy,tools,test}/**'],
    faults: declared,
  },
  {
    name: 'by-name',
    says: 'other packages are imported by name',
    files: ['{libs,services,deploy,tools,test}/**'],
    faults: insideOwnPackage,
  },
  {
    name: 'readable',
    says: 'every import can be read without running it',
    files: PRODUCTS,
    faults: readable,
  },
];
