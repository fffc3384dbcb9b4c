// The bundle contains this module as compressed text, which the command imports: see bundle.config.ts. Errors are values, because a class of another
// bundle is not recognized.
import { SitesFile, shownConfig, sitesFileSchema } from '@tidemark/api';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { withVariables } from './apply/environment.ts';
import type { DesiredDestination, DesiredProject, DesiredSites } from './apply/sites.ts';

/** Aliases of YAML that may be expanded: a file of few bytes can stand for gigabytes. */
const MAX_ALIASES = 1_000;
const DEFAULTS = { schedule: 'manual', timezone: 'UTC', retention: 90 } as const;

export type ReadSites =
  | { readonly sites: DesiredSites }
  | { /** Each with its line, such as `12: projects.harbour.seed: expected …`. */ readonly faults: readonly string[] };

/** Returns the JSON Schema of the file as text. */
export const sitesSchemaText = (): string => `${JSON.stringify(sitesFileSchema(), null, 2)}\n`;

/** Reads a file of projects. `${NAME}` in a text is replaced by the variable of the environment. */
export function readSites(text: string, env: Readonly<Record<string, string | undefined>>): ReadSites {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0)
    return { faults: document.errors.map(({ message, pos }) => `${lines.linePos(pos[0]).line}: ${message}`) };
  let given: unknown;
  try {
    given = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return { faults: [`1: file: ${error instanceof Error ? error.message : error}`] };
  }
  const { value, missing } = withVariables(given, env);
  if (missing.length > 0)
    return {
      faults: faultTexts(
        missing.map(({ path, name }) => ({ path, message: `the variable ${name} is not set` })),
        { document, lines },
      ),
    };
  const parsed = SitesFile.safeParse(value);
  if (parsed.success) return { sites: toDesired(parsed.data, value) };
  const faults = parsed.error.issues.flatMap((issue): Fault[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown key' }))
      : [issue],
  );
  return { faults: faultTexts(faults, { document, lines }) };
}

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

interface Parsed {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** Returns the texts of faults, in the order of their lines. */
function faultTexts(faults: readonly Fault[], parsed: Parsed): string[] {
  return faults
    .map(({ path, message }) => ({ line: lineOf(path, parsed), name: path.map(String).join('.') || 'file', message }))
    .sort((a, b) => a.line - b.line)
    .map(({ line, name, message }) => `${line}: ${name}: ${message}`);
}

/** Returns the line of a value, or of the nearest value that contains it; 1 if there is none. */
function lineOf(path: readonly PropertyKey[], { document, lines }: Parsed): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function toDesired({ name, defaults = {}, projects }: SitesFile, given: unknown): DesiredSites {
  const toProject = ([key, project]: [string, SitesFile['projects'][string]]): DesiredProject => {
    const config = { ...defaults.config, ...project.config };
    return {
      key,
      reference: `${name}/${key}`,
      seed: project.seed,
      hasScheme: seedGiven(given, key).includes('://'),
      name: project.name ?? key,
      tags: [...new Set(project.tags ?? defaults.tags ?? [])].sort(),
      schedule: project.schedule ?? defaults.schedule ?? DEFAULTS.schedule,
      timezone: project.timezone ?? defaults.timezone ?? DEFAULTS.timezone,
      retention: project.retention ?? defaults.retention ?? DEFAULTS.retention,
      config,
      shownConfig: shownConfig(config),
      destinations: Object.entries(project.destinations ?? {}).map(toDestination),
    };
  };
  return { name, projects: Object.entries(projects).map(toProject) };
}

const toDestination = ([name, { connection, ...settings }]: [
  string,
  NonNullable<SitesFile['projects'][string]['destinations']>[string],
]): DesiredDestination => ({
  name,
  connection,
  settings: Object.fromEntries(Object.entries(settings).filter(([, setting]) => setting !== undefined)),
});

/** Returns the seed as the file has it: the contract completes one without a scheme. */
function seedGiven(given: unknown, key: string): string {
  const at = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
  const seed = at(at(at(given, 'projects'), key), 'seed');
  return typeof seed === 'string' ? seed : '';
}
