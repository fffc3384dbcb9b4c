import type {
  DesiredDestination,
  DesiredProject,
  DesiredSites,
  Difference,
  PresentConnection,
  PresentDestination,
  PresentProject,
  SitesPlan,
  Step,
} from './sites.ts';

/** Configuration keys that people set by decisions in the console: a file that does not give them leaves them as they are. */
const DECIDED_KEYS: ReadonlySet<string> = new Set(['volatile_overrides']);

interface Present {
  /** The projects whose references belong to the set. */
  readonly projects: readonly PresentProject[];
  readonly connections: readonly PresentConnection[];
}

/** Compares a file with a workspace. The same file and workspace always give the same plan; one that is applied leaves nothing to do. */
export function planSites(desired: DesiredSites, { projects, connections }: Present): SitesPlan {
  const steps: Step[] = [];
  const faults: string[] = [];
  let unchanged = 0;
  const present = new Map(projects.map((project) => [project.reference, project]));
  const connectionOf = (project: DesiredProject, { name, connection }: DesiredDestination): string => {
    const found = connections.filter(({ id, name: named }) => id === connection || named === connection);
    const [only] = found;
    if (only !== undefined && found.length === 1) return only.id;
    faults.push(
      `${project.reference}, destination ${name}: ${found.length === 0 ? 'no connection is' : `${found.length} connections are`} named ${connection}; ${found.length === 0 ? 'create it in the console or with POST /connections' : 'give the id of one'}`,
    );
    return '';
  };
  for (const project of desired.projects) {
    const existing = present.get(project.reference);
    if (existing === undefined) steps.push({ kind: 'create-project', project });
    else if (!isSameSeed(project, existing.seed))
      faults.push(
        `${project.reference}: the seed of a project cannot change (${existing.seed} to ${project.seed}); give the new site another key, and remove this one with --prune`,
      );
    else {
      const change = projectChange(project, existing);
      if (change === undefined) unchanged += 1;
      else steps.push(change);
    }
    for (const destination of project.destinations) {
      const step = destinationStep(project, existing, {
        destination,
        connectionId: connectionOf(project, destination),
      });
      if (step === undefined) unchanged += 1;
      else steps.push(step);
    }
  }
  return { steps: [...steps, ...removals(desired, projects)], unchanged, faults };
}

/** Returns the deletions of what the file does not have. */
function removals(desired: DesiredSites, projects: readonly PresentProject[]): Step[] {
  const byReference = new Map(desired.projects.map((project) => [project.reference, project]));
  return projects.flatMap(({ id, reference, destinations }): Step[] => {
    const kept = byReference.get(reference);
    if (kept === undefined) return [{ kind: 'delete-project', id, reference }];
    const names = new Set(kept.destinations.map(({ name }) => name));
    return destinations
      .filter(({ name }) => !names.has(name))
      .map((one) => ({ kind: 'delete-destination', projectId: id, id: one.id, reference, name: one.name }));
  });
}

const isSameSeed = ({ seed, hasScheme }: DesiredProject, present: string): boolean => {
  const comparable = (url: string): string => {
    const { href, protocol } = new URL(url);
    return hasScheme ? href : href.slice(protocol.length);
  };
  return comparable(seed) === comparable(present);
};

function projectChange(project: DesiredProject, existing: PresentProject): Step | undefined {
  const differences: Difference[] = [];
  const patch: Record<string, unknown> = {};
  for (const field of ['name', 'schedule', 'timezone', 'retention'] as const) {
    if (project[field] === existing[field]) continue;
    differences.push({ path: field, from: existing[field] ?? undefined, to: project[field] });
    patch[field] = project[field];
  }
  if (!isSame(project.tags, existing.tags)) {
    differences.push({ path: 'tags', from: existing.tags, to: project.tags });
    patch['tags'] = project.tags;
  }
  const config = configChange(project, existing);
  differences.push(...config.differences);
  if (Object.keys(config.patch).length > 0) patch['config'] = config.patch;
  if (differences.length === 0) return undefined;
  const { reference } = project;
  return { kind: 'change-project', id: existing.id, reference, patch, differences };
}

function configChange({ config, shownConfig }: DesiredProject, existing: PresentProject) {
  const differences: Difference[] = [];
  const patch: Record<string, unknown> = {};
  const keys = new Set([...Object.keys(shownConfig), ...Object.keys(existing.config)]);
  for (const key of [...keys].sort()) {
    const [from, to] = [existing.config[key], shownConfig[key]];
    if (isSame(from, to) || (to === undefined && DECIDED_KEYS.has(key))) continue;
    differences.push({ path: `config.${key}`, from, to });
    patch[key] = config[key] ?? null;
  }
  return { differences, patch };
}

function destinationStep(
  { reference }: DesiredProject,
  project: PresentProject | undefined,
  { destination, connectionId }: { readonly destination: DesiredDestination; readonly connectionId: string },
): Step | undefined {
  const { name, settings } = destination;
  const existing = project?.destinations.find((one) => one.name === name);
  if (project === undefined || existing === undefined)
    return { kind: 'create-destination', reference, name, body: { name, connection_id: connectionId, ...settings } };
  const differences = destinationDifferences(destination, existing, connectionId);
  if (differences.length === 0) return undefined;
  const patch = Object.fromEntries(differences.map(({ path, to }) => [path, to]));
  return { kind: 'change-destination', projectId: project.id, id: existing.id, reference, name, patch, differences };
}

function destinationDifferences(
  { settings }: DesiredDestination,
  existing: PresentDestination,
  connectionId: string,
): Difference[] {
  const connection =
    existing.connectionId === connectionId
      ? []
      : [{ path: 'connection_id', from: existing.connectionId, to: connectionId }];
  const changed = Object.entries(settings)
    .filter(([path, to]) => !isSame(existing.settings[path], withNulls(path, to)))
    .map(([path, to]) => ({ path, from: existing.settings[path], to }));
  return [...connection, ...changed];
}

/** Returns a shape as the API shows it: without columns an empty list, without a condition null. */
const withNulls = (path: string, value: unknown): unknown =>
  path === 'shape' && typeof value === 'object' && value !== null ? { columns: [], where: null, ...value } : value;

/** Returns whether two JSON values are equal, whatever the order of fields. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && isSame(value, right.get(key)));
}
