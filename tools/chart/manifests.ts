import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetchedPackage } from '../../deploy/local/npm-program.ts';
import { messageOf } from '../../deploy/local/problem.ts';
import { isRecord } from '../lints/ast.ts';
import { runCommand } from '../run-command.ts';
import { fetchPackage, type PinnedPackage } from './fetch-package.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Under app.kubernetes.io/component: the service it belongs to. */
  readonly component: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Kubernetes' own types, and those of KEDA and the Prometheus operator. */
const TYPES: readonly PinnedPackage[] = [
  [
    'kubernetes-models',
    '5.1.0',
    'ym4Kiyr8BzGIWj4f853ytVYES1B8C1BdONRP5zodItPD1o//OEKuTwC5nFV3ZJtFGeMqOFbIYkpunSVXSlHS8g==',
  ],
  [
    '@kubernetes-models/apimachinery',
    '3.0.2',
    '6Vbzr/tinxPBGGdfYjXiV9WPj8PEhyiqGJiWhXrsihK7h6glPj4HKUxZ0YwYXH/5uucm/NVef/xY3vZ4Crj1Fg==',
  ],
  [
    '@kubernetes-models/base',
    '6.0.1',
    'pXKCFeSoL6RsMxoPDwaJ5JtijVjeuNCacgtYS9dImF7qFdzdc9lcQbem6y6Ug7/K6/bFOWdTu3qIX88IK81o0A==',
  ],
  [
    '@kubernetes-models/validate',
    '5.0.2',
    'EzfxB8mu2VPlFYSwsMlZdgTeeqJGI2R58irUrZJWHxJqOqOhnau/oS9KNCZKXjdC2vFubU6v81m2CrIoU+/pxQ==',
  ],
  [
    '@kubernetes-models/keda',
    '2.0.0',
    'iqDohrzL51UXD6zM+Rl4RDnZ9Q7jwgikXYrDCxL0sWA5ZTFa7nMfS4Exu2uK6ohA+OUNQMUIFWORAHNpz5qlFw==',
  ],
  [
    '@kubernetes-models/prometheus-operator',
    '6.0.0',
    'ySNW4T6U6Vn86bmcJ/emmAYJ/UrzpNvzxWexWJSALwgiO4FqCgL6WoqFsOReSiMhw/LlF+MljQvoiwD3RnaGmg==',
  ],
].map(([name = '', version = '', sum = '']) => ({ name, version, integrity: `sha512-${sum}` }));

const CRD_PACKAGES: Readonly<Record<string, string>> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

/** Where the types are, fetched at the first use. @throws Error where they can't be had */
export async function manifestTypes(toolsDir: string): Promise<string> {
  const dir = join(toolsDir, 'manifest-types-5.1.0');
  await Promise.all(TYPES.map((one) => fetchPackage(one, join(dir, 'node_modules', one.name))));
  return dir;
}

/** Checks documents against the types of Kubernetes by tsc. Returns its errors, such as an unknown field; empty if there are none. */
export async function typeFaults(typesDir: string, manifests: readonly Manifest[]): Promise<string> {
  const dir = mkdtempSync(join(typesDir, 'rendered-'));
  try {
    const lines = manifests.map(({ apiVersion, kind, document }, index) => {
      const group = apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '';
      const from = `${CRD_PACKAGES[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
      return `import type { I${kind} as T${index} } from '${from}';\nexport const d${index}: T${index} = ${JSON.stringify(document, null, 1)};`;
    });
    writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(dir, 'rendered.ts'), lines.join('\n'));
    const flags = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--types',
      '',
      '--pretty',
      'false',
    ];
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const { ok, output } = await runCommand([tsc, ...flags, 'rendered.ts'], dir);
    return ok ? '' : output || 'tsc failed without a word';
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Fetches the JSON schemas of Kubernetes and the operators, with what validates by them. Returns their folder; undefined where they can not be fetched. */
export const manifestSchemas = (): Promise<string | undefined> =>
  fetchedPackage('kubernetes-models', '5.1.0', [
    '@kubernetes-models/keda@2.0.0',
    '@kubernetes-models/prometheus-operator@6.0.0',
  ]);

/** Validates documents against the JSON schemas of Kubernetes and the operators: formats, ranges and types of values. Returns a line for each fault. */
export async function schemaFaults(schemasDir: string, manifests: readonly Manifest[]): Promise<string[]> {
  const faults = manifests.map(async ({ apiVersion, kind, name, document }) => {
    const group = apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '';
    const file = join(schemasDir, 'node_modules', CRD_PACKAGES[group] ?? 'kubernetes-models', apiVersion, `${kind}.js`);
    const loaded: unknown = await import(pathToFileURL(file).href);
    const Kind = isRecord(loaded) ? loaded[kind] : undefined;
    if (!isModel(Kind)) return [`${kind} ${name}: there is no schema of ${apiVersion}`];
    try {
      new Kind(document).validate();
      return [];
    } catch (error) {
      return [`${kind} ${name}: ${messageOf(error)}`];
    }
  });
  return (await Promise.all(faults)).flat();
}

type Model = new (document: unknown) => { validate(): void };
const isModel = (value: unknown): value is Model => typeof value === 'function';

/** Reads YAML, one value a document. */
export type ReadYaml = (text: string) => readonly unknown[];

/** A strict YAML 1.2 reader: keys given twice are refused. @throws Error where there is none installed */
export function yamlReader(): ReadYaml {
  // Other packages bring it; pnpm keeps what they bring in a folder of its own.
  const places = [ROOT, join(ROOT, 'node_modules/.pnpm')].map((dir) => createRequire(join(dir, 'package.json')));
  const name = 'yaml';
  for (const place of places) {
    try {
      return readerOf(place(name));
    } catch (error) {
      if (!/Cannot find module/.test(messageOf(error))) throw error;
    }
  }
  throw new Error('the package yaml is not installed; expected it among devDependencies');
}

function readerOf(library: unknown): ReadYaml {
  const parseAll = isRecord(library) ? library['parseAllDocuments'] : undefined;
  if (typeof parseAll !== 'function') throw new Error('the package yaml has no parseAllDocuments');
  return (text) => {
    const documents: unknown = parseAll(text, { merge: true });
    if (!Array.isArray(documents)) return [];
    return documents.map((document: { errors: readonly Error[]; toJS(): unknown }) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS();
    });
  };
}

/** What helm rendered, as manifests. @throws Error where a document is none */
export function readManifests(rendered: string, readYaml: ReadYaml): Manifest[] {
  return readYaml(rendered)
    .filter((document) => document !== null)
    .map((document) => {
      const { apiVersion, kind, metadata } = record(document);
      const { name, labels } = record(metadata);
      if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string')
        throw new Error(`this is no manifest: ${JSON.stringify(document).slice(0, 200)}`);
      const component = record(labels ?? {})['app.kubernetes.io/component'];
      return {
        apiVersion,
        kind,
        name,
        component: typeof component === 'string' ? component : '',
        document: record(document),
      };
    });
}

/** The object something is. @throws Error where it is none */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new Error(`expected an object, not ${JSON.stringify(value)?.slice(0, 80)}`);
  return value;
}

/** What lies at a path of keys and indexes; undefined where the path ends early. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((here, step) => {
    if (Array.isArray(here) && typeof step === 'number') return here[step];
    return isRecord(here) ? here[step] : undefined;
  }, value);
}

/** The list at a path; empty where there is none. */
export function list(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
