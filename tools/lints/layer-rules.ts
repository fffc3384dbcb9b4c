import { eachImport, never, noGlobals, noOther, only, type Rule } from './rule.ts';
import { ownerOf, packageName, type SourceModule } from './source-tree.ts';

const PRODUCTS = ['libs/*/src/**', 'packages/*/src/**', 'services/*/src/**'];
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

/** A relative import stays in its package; other packages are imported by name, through their exports. */
const insideOwnPackage = eachImport((found, { owner, isTest }, { packages, root }) => {
  if (found.specifier?.startsWith('.') !== true) return undefined;
  // Tests of a service start what `npm start` starts beside the services; it belongs to no package.
  const isStarted = /^deploy\/(local|payment-sandbox)\//.test(found.target);
  if (isTest && owner.dir.startsWith('services/') && isStarted) return undefined;
  return (ownerOf(found.target, packages) ?? root) === owner ? undefined : `reaches into ${found.target}`;
});

const readable = eachImport((found) =>
  found.specifier === undefined ? 'imports a module whose name is computed at run time' : undefined,
);

const CONSOLE = 'services/console/src/';
const pageOf = (path: string): string | undefined => /^services\/console\/src\/pages\/([^/]+)\//.exec(path)?.[1];

/** A page of the console imports its own folder and the shared folders below it. */
const pagesApart = eachImport(({ target }, { path }) => {
  if (!target.startsWith(CONSOLE)) return undefined;
  const isShared = ['api', 'parts', 'routing', 'words'].some((folder) => target.startsWith(`${CONSOLE}${folder}/`));
  return isShared || pageOf(target) === pageOf(path) ? undefined : `imports ${target}`;
});

/** Every service; the console is a program of the browser. */
const LAID_OUT = ['services/*/src/**'];
const NO_SERVICE = ['services/console/**'];
const ROOT_FILES = ['main.ts', 'config.ts', 'service.ts'];

/** Returns the path of a file below `src` of its service. */
const pathInService = ({ path, owner }: SourceModule): string => path.slice(`${owner.dir}/src/`.length);

/** Files directly under `src` are the entry point, the settings and the place of construction. */
const rootFiles: Rule['violations'] = (modules) =>
  modules.flatMap((module) => {
    const path = pathInService(module);
    return path.includes('/') || ROOT_FILES.includes(path)
      ? []
      : [{ path: module.path, line: 1, what: `is none of ${ROOT_FILES.join(', ')}` }];
  });

/** Only the files of one folder, which a feature may have too, and the place of construction import what `reserved` matches. */
const reservedFor = (
  folder: string,
  reserved: (target: string, owner: SourceModule['owner']) => boolean,
): Rule['violations'] =>
  eachImport(({ target }, module) => {
    const path = pathInService(module);
    if (path === 'service.ts' || path.split('/').includes(folder)) return undefined;
    return reserved(target, module.owner) ? `imports ${target}` : undefined;
  });

/** The layers: which package may import which. */
export const LAYER_RULES: readonly Rule[] = [
  {
    name: 'services-apart',
    reason: 'services communicate over gRPC and the bus and do not import each other',
    files: ['services/**'],
    violations: noOther('services/**'),
  },
  {
    name: 'libs-below',
    reason: 'a library imports no service, and nothing of deploy, tools or test',
    files: ['libs/**'],
    violations: noOther('{services,deploy,tools,test}/**'),
  },
  {
    name: 'contract-at-the-edge',
    reason:
      'the REST contract is for those who serve or document it; inner services use datasets, project-config, results and webhook-events',
    files: ['{libs,services}/**'],
    except: ['libs/firecrawl/**', 'libs/mcp-tools/**', 'libs/web-pages/**', 'services/gateway/**'],
    tests: 'exempt',
    violations: noOther('libs/api/**'),
  },
  {
    name: 'firecrawl-contract',
    reason: 'Firecrawl’s interface is written on the REST contract alone: no service, no store and no HTTP server',
    files: ['libs/firecrawl/src/**'],
    tests: 'exempt',
    violations: only('{own}/src/**', 'libs/api/index', 'libs/errors/index', 'node:timers/promises'),
  },
  {
    name: 'packages-alone',
    reason: 'a published client uses the public interface: it imports no library and no service',
    files: ['packages/*/src/**'],
    // `tidemark mcp` serves the same tools as services/mcp, and `tidemark apply` reads files by the contract; the bundle contains both.
    except: ['packages/cli/src/mcp-server.ts', 'packages/cli/src/sites-reader.ts'],
    tests: 'exempt',
    violations: noOther('{libs,services,deploy,tools,test}/**'),
  },
  {
    name: 'sdk-portable',
    reason: 'the SDK runs in browsers and workers: it imports only its own files',
    files: ['packages/sdk/src/**'],
    tests: 'exempt',
    violations: only('packages/sdk/src/**'),
  },
  {
    name: 'console-public',
    reason: 'the console uses the SDK and public routes: it imports no library and no service',
    files: ['services/console/src/**'],
    tests: 'exempt',
    violations: noOther('{libs,services,deploy,tools,test}/**', 'packages/cli/**'),
  },
  {
    name: 'console-pages-apart',
    reason: 'a page of the console imports its own folder, api, parts, routing and words, and no other page',
    files: ['services/console/src/pages/**'],
    violations: pagesApart,
  },
  ...['contracts', 'errors', 'web-url'].map((lib) => ({
    name: `${lib}-alone`,
    reason: `libs/${lib} imports no other library`,
    files: [`libs/${lib}/**`],
    tests: 'exempt' as const,
    violations: noOther('libs/**'),
  })),
  {
    name: 'layout-root',
    reason:
      'a service has main.ts, config.ts, service.ts and folders: grpc, events, domain, store, and one per feature',
    files: LAID_OUT,
    except: NO_SERVICE,
    tests: 'exempt',
    violations: rootFiles,
  },
  {
    name: 'layout-grpc',
    reason: 'methods and the mapping of messages are in grpc/, which only service.ts imports',
    files: LAID_OUT,
    tests: 'exempt',
    violations: reservedFor('grpc', (target, { dir }) => target.startsWith(`${dir}/src/grpc/`)),
  },
  {
    name: 'layout-messages',
    reason: 'the messages of the service’s own interface are mapped in grpc/',
    // The use cases of the others return messages of their interface.
    files: ['services/{browser-pool,delivery,diff}/src/**'],
    tests: 'exempt',
    violations: reservedFor('grpc', (target, { dir }) => {
      const [, service = ''] = dir.split('/');
      return target === `libs/contracts/${service}/v1/${service}`;
    }),
  },
  {
    name: 'layout-events',
    reason: 'handlers of events are in events/, which only service.ts imports',
    files: LAID_OUT,
    tests: 'exempt',
    violations: reservedFor('events', (target, { dir }) => target.startsWith(`${dir}/src/events/`)),
  },
  {
    name: 'layout-store',
    reason: 'statements and types of tables are in store/',
    // Identity, projects and scrape have statements in features too.
    files: ['services/{archive,billing,browser-pool,crawl,delivery,diff,export,gateway,map,mcp}/src/**'],
    // Statements of the databases of customers.
    except: ['services/export/src/destinations/postgres/**'],
    tests: 'exempt',
    violations: reservedFor('store', (target, { dir }) =>
      [`${dir}/src/generated/`, 'libs/sql/index', 'npm:kysely'].some((start) => target.startsWith(start)),
    ),
  },
  {
    name: 'domain-imports',
    reason:
      'the domain has no side effects: it imports its own files, errors, web-url, datasets, stop reasons, verdicts, hashing, the user agent, a regex engine without backtracking, a bounded cache, the rule of the engine, the page reader, the policy of attempts, the type of a state machine, the rules of webhook deliveries, the conversion of an absent text, and types of messages and prices',
    files: ['services/*/src/domain/**'],
    tests: 'exempt',
    violations: only(
      '{own}/src/domain/**',
      'libs/errors/**',
      'libs/web-url/**',
      'libs/datasets/**',
      'libs/contracts/stop-reasons',
      'libs/contracts/text-or-empty',
      'libs/contracts/verdicts',
      'type libs/contracts/*/v1/*',
      'libs/page-reader/**',
      'libs/leased-work/attempt-policy',
      'libs/sql/transitions',
      'libs/webhook-events/delivery-rules',
      'type libs/catalogue/**',
      'libs/catalogue/required-engine',
      'libs/egress/user-agent',
      'npm:lru-cache',
      'npm:re2js',
      'node:crypto',
      'node:zlib',
    ),
  },
  {
    name: 'domain-pure',
    reason: 'time, randomness, settings and I/O are passed as arguments',
    files: ['services/*/src/domain/**'],
    tests: 'exempt',
    violations: noGlobals(
      'Date.now',
      'new Date()',
      'performance',
      'Math.random',
      'crypto',
      'process',
      'console',
      'fetch',
      'globalThis[…]',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'queueMicrotask',
      'WebSocket',
      'EventSource',
    ),
  },
  {
    name: 'page-reader-pure',
    reason: 'pure functions of a response: parsers and messages of pages, no file system, no network and no store',
    files: ['libs/page-reader/src/**'],
    tests: 'exempt',
    violations: only(
      '{own}/src/**',
      'libs/web-url/**',
      'libs/errors/**',
      'libs/html/**',
      'libs/egress/user-agent',
      'libs/contracts/page/v1/*',
      'libs/contracts/product-words',
      'node:crypto',
      'node:buffer',
      'node:zlib',
      'npm:*',
      'npm:*/**',
    ),
  },
  {
    name: 'black-box',
    reason: 'these tests use the product over HTTP only',
    files: [BLACK_BOX],
    violations: noOther('services/**'),
  },
  {
    name: 'tests-outside',
    reason: 'production code imports no test and no testkit',
    files: PRODUCTS,
    except: ['libs/testkit/**'],
    tests: 'exempt',
    violations: never('**/*.test.ts', '{own}/test/**', 'libs/testkit/**'),
  },
  {
    name: 'declared',
    reason: 'a package imports only dependencies of its own package.json',
    files: ['{bench,libs,packages,services,deploy,tools,test}/**'],
    violations: declared,
  },
  {
    name: 'by-name',
    reason: 'other packages are imported by name',
    files: ['{libs,packages,services,deploy,tools,test}/**'],
    violations: insideOwnPackage,
  },
  {
    name: 'readable',
    reason: 'every import has a literal specifier',
    files: PRODUCTS,
    violations: readable,
  },
];
