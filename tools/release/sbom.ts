import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { runCommand } from '../run-command.ts';

const License = z.union([
  z.object({ license: z.union([z.object({ id: z.string() }), z.object({ name: z.string() })]) }),
  z.object({ expression: z.string() }),
]);

const Component = z.looseObject({
  name: z.string(),
  group: z.string().optional(),
  version: z.string(),
  purl: z.string(),
  licenses: z.array(License).optional(),
});
export type Component = z.infer<typeof Component>;

const Sbom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string(),
  serialNumber: z.string(),
  metadata: z.looseObject({ timestamp: z.string() }),
  components: z.array(Component),
});
/** A bill of materials in the format CycloneDX (ECMA-424). */
export type Sbom = z.infer<typeof Sbom>;

/** Packages that an artefact contains, as pnpm selects them. */
export interface Contents {
  /** Names of workspace packages, whose production dependencies are included. */
  readonly packages: readonly string[];
}

/**
 * Returns the bill of materials of an artefact, made by pnpm from the lockfile. Equal contents give equal bytes: the serial number is
 * derived from the components, and the time is that of the commit.
 * @throws Error if pnpm fails
 */
export async function sbomOf(root: string, { packages }: Contents, time: Date): Promise<Sbom> {
  const filters = packages.flatMap((name) => ['--filter', name]);
  const args = ['sbom', ...filters, '--prod', '--sbom-format', 'cyclonedx'];
  const { ok, output } = await runCommand([join(root, 'node_modules/.bin/pnpm'), ...args], root);
  if (!ok) throw new Error(`pnpm made no bill of materials for ${packages.join(', ')}: ${output.slice(-500)}`);
  const sbom = Sbom.parse(JSON.parse(output));
  const components = sbom.components.map((component) => ({ ...oldLicence(root, component), ...component }));
  return withComponents({ ...sbom, components }, [], time);
}

const OldManifest = z.object({ licenses: z.array(z.object({ type: z.string() })) });

/** Returns the licence of a package that states it as `licenses`, as npm did before 2015, which pnpm does not read. */
function oldLicence(root: string, { group, name, version, licenses }: Component): Pick<Component, 'licenses'> {
  if (licenses !== undefined) return {};
  const path = group === undefined ? name : `${group}/${name}`;
  const [file] = globSync(
    `node_modules/.pnpm/${path.replace('/', '+')}@${version}*/node_modules/${path}/package.json`,
    { cwd: root },
  );
  if (file === undefined) return {};
  const read = OldManifest.safeParse(JSON.parse(readFileSync(join(root, file), 'utf8')));
  return read.success ? { licenses: read.data.licenses.map(({ type }) => ({ license: { id: type } })) } : {};
}

/** Returns a bill of materials with more components, a time and the serial number of its contents. */
export function withComponents(sbom: Sbom, more: readonly Component[], time: Date): Sbom {
  const components = [...new Map([...sbom.components, ...more].map((one) => [one.purl, one])).values()].sort((a, b) =>
    a.purl < b.purl ? -1 : 1,
  );
  return {
    ...sbom,
    serialNumber: serialNumberOf(components),
    metadata: { ...sbom.metadata, timestamp: time.toISOString() },
    components,
  };
}

/** Returns a UUID (version 8, RFC 9562) that depends on the components only. */
function serialNumberOf(components: readonly Component[]): string {
  const hex = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
