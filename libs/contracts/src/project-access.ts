import { ALL_PROJECTS, onlyProjects, type ProjectAccess } from './caller.ts';
import type { ProjectAccess as WireProjectAccess } from './gen/tidemark/identity/v1/identity.ts';

/** Converts the access of a key to its message. */
export const accessToWire = (access: ProjectAccess): WireProjectAccess => ({
  access: access.kind === 'all' ? { $case: 'all', value: {} } : { $case: 'only', value: { ids: [...access.projects] } },
});

/** Converts the message of a key's access. @returns undefined if it is absent or has no project: no access may be derived from that */
export function accessFromWire(wire: WireProjectAccess | undefined): ProjectAccess | undefined {
  switch (wire?.access?.$case) {
    case 'all':
      return ALL_PROJECTS;
    case 'only':
      return wire.access.value.ids.length === 0 ? undefined : onlyProjects(wire.access.value.ids);
    case undefined:
      return undefined;
  }
}
