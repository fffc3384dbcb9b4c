import type { Component, Sbom } from './sbom.ts';

/** Licences that a dependency may have. Weak copyleft (MPL-2.0) covers the files of the package alone, which are not changed. */
const ACCEPTED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Python-2.0',
  'PostgreSQL',
  'Unlicense',
  'WTFPL',
  'Zlib',
]);

/** Returns the licence of a component as an SPDX expression; empty if it states none. */
export const licenceOf = ({ licenses = [] }: Component): string =>
  licenses
    .map((entry) => {
      if ('expression' in entry) return entry.expression;
      return 'id' in entry.license ? entry.license.id : entry.license.name;
    })
    .join(' AND ');

/** Returns whether an expression can be met with accepted licences: one of an OR, all of an AND. */
export function isAccepted(expression: string): boolean {
  const inner = expression.trim().replace(/^\((.*)\)$/, '$1');
  if (inner.includes(' OR ')) return inner.split(' OR ').some(isAccepted);
  if (inner.includes(' AND ')) return inner.split(' AND ').every(isAccepted);
  return ACCEPTED.has(inner);
}

/** Returns the components of others that state no licence or one that is not accepted. Packages of the workspace are the owner's. */
export const licenceFaults = ({ components }: Sbom): string[] =>
  components
    .filter((component) => component.group !== '@tidemark' && !isAccepted(licenceOf(component)))
    .map((component) => `${component.purl}: ${licenceOf(component) || 'no licence'}`);

/** Returns the list of licences that is delivered with an artefact. */
export function licenceList(artefact: string, { components }: Sbom): string {
  const others = components.filter(({ group }) => group !== '@tidemark');
  const byLicence = Map.groupBy(others, licenceOf);
  const sections = [...byLicence.keys()].sort().map((licence) => {
    const names = (byLicence.get(licence) ?? []).map(({ group, name, version }) =>
      [...(group === undefined ? [] : [group]), name].join('/').concat(` ${version}`),
    );
    return `${licence}\n${names.map((name) => `  ${name}`).join('\n')}`;
  });
  const head = `Packages of others in ${artefact}, by licence. The text of a licence is in the package itself.`;
  return `${[head, ...sections].join('\n\n')}\n`;
}
