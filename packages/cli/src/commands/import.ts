import { type NewProject, Tidemark } from '@tidemark/sdk';
import { Argument, type Command, Option } from 'commander';
import { type Context, contextOf } from '../context.ts';
import { CliError, describeError, EXIT } from '../exit.ts';
import { readInput } from '../files.ts';
import { fromChangedetection } from '../import/changedetection.ts';
import { fromFirecrawl } from '../import/firecrawl.ts';
import { type ImportStep, importSteps, type KnownProject } from '../import/known-projects.ts';
import { fromList, fromOpml, fromScreamingFrog } from '../import/lists.ts';
import { type ImportPlan, webUrl } from '../import/plan.ts';
import { runsPerMonth } from '../import/schedule.ts';

const json =
  (read: (source: unknown) => ImportPlan) =>
  (text: string): ImportPlan =>
    read(JSON.parse(text));

/** changedetection.io also exports one URL a line. */
const changedetection = (text: string): ImportPlan =>
  /^\s*[[{]/.test(text) ? json(fromChangedetection)(text) : fromList(text);

const READERS = {
  changedetection,
  firecrawl: json(fromFirecrawl),
  'screaming-frog': fromScreamingFrog,
  opml: fromOpml,
  list: fromList,
} as const;
type Source = keyof typeof READERS;

interface ImportFlags {
  readonly from: Source;
  readonly dryRun?: true;
  readonly schedule?: string;
}

async function planOf(file: string, from: Source, signal: AbortSignal): Promise<ImportPlan> {
  const text = await readInput(file, signal);
  try {
    return READERS[from](text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliError(`${file} is not JSON, which --from ${from} reads: ${error.message}`, EXIT.usage);
  }
}

/** Returns the credits of a page without and with a browser, from the prices of the server. */
async function pricesOf({
  access,
  signal,
}: Context): Promise<{ readonly http: number; readonly browser: number } | undefined> {
  try {
    const { ladder } = await new Tidemark(access).call('GET /meta', { signal, timeoutMs: 5_000, maxRetries: 0 });
    const priceOf = (tier: string): number => ladder.find((step) => step.tier === tier && !step.exit)?.credits ?? 0;
    return { http: priceOf('http'), browser: priceOf('browser') };
  } catch {
    return undefined;
  }
}

const pagesOf = ({ config }: NewProject): number => config?.url_list?.length ?? config?.max_pages ?? 0;

async function printPlan(context: Context, projects: readonly NewProject[]): Promise<void> {
  const { out } = context;
  const prices = await pricesOf(context);
  const creditsOf = (project: NewProject): number => {
    const price = project.config?.render_js === 'always' ? prices?.browser : prices?.http;
    return Math.ceil(pagesOf(project) * (price ?? 0) * runsPerMonth(project.schedule ?? 'manual'));
  };
  await out.rows(projects, (project) => ({
    name: project.name,
    seed: project.seed,
    schedule: project.schedule ?? 'manual',
    pages: pagesOf(project) || 'all',
    creditsPerMonth: prices === undefined ? 'unknown' : creditsOf(project),
  }));
  const total = projects.reduce((sum, project) => sum + creditsOf(project), 0);
  if (prices !== undefined) out.note(`about ${total} credits a month, if the pages need no dearer engine`);
}

/** Returns the projects that have the seed of a planned one. */
async function knownProjects(
  client: Tidemark,
  planned: readonly NewProject[],
  signal: AbortSignal,
): Promise<KnownProject[]> {
  const seeds = new Set(planned.map(({ seed }) => webUrl(seed)?.href));
  const known: KnownProject[] = [];
  for await (const { id, seed } of client.list('GET /projects', { query: { limit: 200 }, signal }))
    if (seeds.has(webUrl(seed)?.href)) known.push(await client.projects.of(id).get({ signal }));
  return known;
}

const existsNote = ({ id, project, missing }: Extract<ImportStep, { kind: 'exists' }>): string =>
  `${id} exists for ${project.seed} and is not changed${missing === 0 ? '' : `; it lacks ${missing} pages of the import: add them to its url_list`}`;

async function createAll({ client, out, signal }: Context, projects: readonly NewProject[]): Promise<void> {
  const tidemark = client();
  for (const step of importSteps(projects, await knownProjects(tidemark, projects, signal))) {
    if (step.kind === 'exists') {
      out.note(existsNote(step));
      continue;
    }
    const { project } = step;
    try {
      const { id, name, seed } = await tidemark.projects.create(project, { signal });
      if (out.isJson) out.record({ id, name, seed });
      else out.text(`${id}  ${seed}`);
    } catch (error) {
      signal.throwIfAborted();
      out.note(`${project.seed}: ${describeError(error).text}`);
      process.exitCode = EXIT.failed;
    }
  }
}

export function addImport(program: Command): void {
  program
    .command('import')
    .description(
      'create projects from the watches, monitors or lists of another tool; those that exist are not changed',
    )
    .addArgument(new Argument('<file>', 'file to read; - is standard input'))
    .addOption(
      new Option('--from <tool>', 'tool that wrote the file').choices(Object.keys(READERS)).makeOptionMandatory(),
    )
    .option('--schedule <schedule>', 'schedule of projects whose source states none')
    .option('--dry-run', 'print the projects and their credits, and create nothing')
    .addHelpText(
      'before',
      'Examples:\n  tidemark import url-watches.json --from changedetection --dry-run\n  curl -H "Authorization: Bearer fc-…" https://api.firecrawl.dev/v2/monitor | tidemark import - --from firecrawl\n',
    )
    .action(async (file: string, { from, dryRun, schedule }: ImportFlags, command: Command) => {
      const context = contextOf(command);
      const { projects, notCarried } = await planOf(file, from, context.signal);
      const planned = projects.map((one) => (schedule === undefined ? one : { schedule, ...one }));
      for (const what of notCarried) context.out.note(`not carried: ${what}`);
      if (planned.length === 0) throw new CliError(`${file} has nothing to import`);
      await (dryRun === true ? printPlan(context, planned) : createAll(context, planned));
    });
}
