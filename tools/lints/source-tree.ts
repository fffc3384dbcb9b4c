import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { isRecord } from './ast.ts';
import { type Import, type ModuleText, readModule } from './read-module.ts';

const SOURCES = '{bench,libs,packages,services,deploy,tools,test}/**/*.{ts,tsx,mjs}';
const EXCLUDED = /(^|\/)(node_modules|dist|gen|generated)(\/|$)|^test\/web\/pages(\/|$)/;

/** A package of the workspace; the root's folder is empty. */
export interface Package {
  readonly dir: string;
  readonly name: string;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
}

export interface TargetedImport extends Import {
  /** Where it leads: a path of this repository (`libs/errors/index` for a package itself), `node:net` or `npm:got`. */
  readonly target: string;
}

export interface SourceModule extends Omit<ModuleText, 'imports'> {
  readonly path: string;
  readonly owner: Package;
  readonly isTest: boolean;
  readonly imports: readonly TargetedImport[];
}

export interface SourceTree {
  readonly root: Package;
  readonly packages: readonly Package[];
  readonly modules: readonly SourceModule[];
}

/** Reads every TypeScript file, and every JavaScript module, that is written by hand. */
export function readSourceTree(dir: string): SourceTree {
  const root = readPackage(dir, '');
  const found = globSync(
    ['bench/package.json', 'tools/openapi/package.json', '{libs,packages,services}/*/package.json'],
    {
      cwd: dir,
    },
  ).sort();
  const packages = found.map((file) => readPackage(dir, posix.dirname(file)));
  const files = globSync(SOURCES, { cwd: dir, exclude: (path) => EXCLUDED.test(path) }).sort();
  const modules = files.map((path): SourceModule => {
    const text = readModule(readFileSync(join(dir, path), 'utf8'), path.endsWith('.tsx'));
    const imports = text.imports.map((one) => ({ ...one, target: targetOf(one.specifier, path, packages) }));
    return { ...text, path, imports, owner: ownerOf(path, packages) ?? root, isTest: isTest(path) };
  });
  return { root, packages, modules };
}

/** The package a path lies in; undefined for the root's own folders. */
export const ownerOf = (path: string, packages: readonly Package[]): Package | undefined =>
  packages.find(({ dir }) => path.startsWith(`${dir}/`));

/** `got` of `got/dist/x`, `@scope/name` of `@scope/name/x`. */
export const packageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const isTest = (path: string): boolean => path.endsWith('.test.ts') || /(^|\/)test\//.test(path);

function targetOf(specifier: string | undefined, from: string, packages: readonly Package[]): string {
  if (specifier === undefined) return '?';
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
  const name = packageName(specifier);
  const local = packages.find((one) => one.name === name);
  if (local === undefined) return `npm:${specifier}`;
  return `${local.dir}/${specifier.slice(name.length + 1) || 'index'}`;
}

function readPackage(root: string, dir: string): Package {
  const json: unknown = JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8'));
  const read = isRecord(json) ? json : {};
  const names = (field: string): string[] => {
    const list = read[field];
    return isRecord(list) ? Object.keys(list) : [];
  };
  // A package that is published as a bundle contains what it imports; its users install no dependencies.
  const isBundled = isRecord(read['scripts']) && 'bundle' in read['scripts'];
  const runtime = ['dependencies', 'peerDependencies', 'optionalDependencies'];
  return {
    dir,
    name: String(read['name']),
    dependencies: new Set([...runtime, ...(isBundled ? ['devDependencies'] : [])].flatMap(names)),
    devDependencies: new Set(names('devDependencies')),
  };
}
