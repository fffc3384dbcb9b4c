import type { ProjectSummary } from '@tidemark/sdk';
import { type Command, Option } from 'commander';
import { confirm, contextOf } from '../context.ts';
import { FIELDS } from '../generated/options.ts';
import { addListOptions, type ListFlags, printList } from '../list.ts';
import { addRouteOptions, addSettingsHelp, type OwnWords, routeFields, settingsOfRoute } from '../route-options.ts';

const OWN_OF_LIST = { limit: '--limit', cursor: '--cursor' } as const satisfies OwnWords<'GET /projects'>;
const OWN_OF_CREATE = { seed: '[seed]', config: 'KEY=VALUE' } as const satisfies OwnWords<'POST /projects'>;
const OWN_OF_SET = { config: 'KEY=VALUE' } as const satisfies OwnWords<'PATCH /projects/{id}'>;

const PATCHED: ReadonlySet<string> = new Set(FIELDS['PATCH /projects/{id}'].map(({ name }) => name));

/** Divides KEY=VALUE pairs into the fields of a project and its configuration. */
export function partsOf(pairs: readonly string[]): Record<string, unknown> {
  const given = Object.entries(settingsOfRoute('PATCH /projects/{id}', pairs));
  const config = given.filter(([key]) => !PATCHED.has(key));
  const fields = Object.fromEntries(given.filter(([key]) => PATCHED.has(key)));
  return config.length === 0 ? fields : { ...fields, config: Object.fromEntries(config) };
}

const summary = ({ id, name, seed, schedule, health, lastRun }: ProjectSummary) => ({
  id,
  name,
  seed,
  schedule,
  health,
  lastRun: lastRun?.finishedAt,
  pages: lastRun?.pages,
});

function addList(program: Command): void {
  const projects = addListOptions(program.command('projects').description('list the projects'));
  addRouteOptions(projects, 'GET /projects', OWN_OF_LIST).action(async (flags: ListFlags, command: Command) => {
    const context = contextOf(command);
    const client = context.client();
    const query = routeFields(command, 'GET /projects', OWN_OF_LIST);
    await printList(context, flags, {
      atOnce: 200,
      read: (range) => client.page('GET /projects', { query: { ...query, ...range } }),
      columns: summary,
    });
  });
}

function addWrites(project: Command): void {
  const create = project
    .command('create')
    .description('create a project')
    .argument('<seed>', 'starting URL')
    .argument('[settings...]', 'KEY=VALUE: a setting below, or a configuration key of `tidemark settings`');
  addSettingsHelp(create, 'POST /projects', OWN_OF_CREATE)
    .addHelpText('before', 'Examples:\n  tidemark project create https://example.com/ schedule=daily max_pages=500\n')
    .action(async (seed: string, pairs: string[], _: object, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const made = await client().projects.create({ ...partsOf(pairs), seed }, { signal });
      if (out.isJson) out.record(made);
      else out.text(made.id);
    });
  const set = project
    .command('set')
    .description('change settings of a project')
    .argument('<id>', 'project')
    .argument(
      '<settings...>',
      'KEY=VALUE: a setting below, or a configuration key of `tidemark settings`, which returns to its default with null',
    );
  addSettingsHelp(set, 'PATCH /projects/{id}', OWN_OF_SET)
    .addHelpText('before', 'Examples:\n  tidemark project set prj_01j… schedule=hourly max_depth=3 min_words=null\n')
    .action(async (id: string, pairs: string[], _: object, command: Command) => {
      const { client, out } = contextOf(command);
      const { name, schedule, configVersion } = await client().projects.of(id).update(partsOf(pairs));
      out.object({ id, name, schedule, configVersion });
    });
  project
    .command('delete')
    .description('delete a project with its runs and pages')
    .argument('<id>', 'project')
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, { yes }: { yes?: true }, command: Command) => {
      const { client, out } = contextOf(command);
      await confirm(`This deletes ${id} with its runs and pages.`, yes);
      await client().projects.of(id).delete();
      out.note(`deleted ${id}`);
    });
}

function addReads(project: Command): void {
  const read = (name: 'get' | 'dryRun' | 'sources', words: string, description: string): void => {
    project
      .command(words)
      .description(description)
      .argument('<id>', 'project')
      .action(async (id: string, _: object, command: Command) => {
        const { client, out } = contextOf(command);
        const found = await client().projects.of(id)[name]();
        if (out.isJson) out.record(found);
        else out.text(JSON.stringify(found, null, 2));
      });
  };
  read('get', 'get', 'show a project with its configuration');
  read('dryRun', 'dry-run', 'show what the scope patterns do to the known URLs; fetches nothing');
  read('sources', 'sources', 'show the sources and what the last run found through each');
}

/** Starts a run of each project with a tag. The exit status is 1 if one of them was not started. */
async function runTagged(tag: string, command: Command): Promise<void> {
  const { client, out } = contextOf(command);
  const started = await client().projects.runTagged(tag);
  if (out.isJson) out.record(started);
  else for (const { projectId, run, error } of started.data) out.text(`${projectId}  ${run?.id ?? error}`);
  if (started.refused.length > 0) process.exitCode = 1;
}

/** Starts a run of a project. With `waits`: the exit status is 1 if the run does not end as done. */
async function runOne(id: string, waits: boolean, command: Command): Promise<void> {
  const { client, out, signal } = contextOf(command);
  const tidemark = client();
  const started = await tidemark.projects.of(id).run();
  if (!waits) return out.isJson ? out.record(started) : out.text(started.id);
  const { ProgressBar } = await import('../terminal/progress.ts');
  const bar = new ProgressBar();
  const { data: _, ...ended } = await tidemark.crawl
    .of(started.id)
    .wait({ signal, onProgress: bar.update })
    .finally(() => bar.clear())
    .catch((error: unknown) => {
      out.note(`the run continues on the server: tidemark crawl ${started.id}`);
      throw error;
    });
  if (out.isJson) out.record(ended);
  else
    out.object({
      run: ended.id,
      status: ended.status,
      stop: ended.stop,
      pages: ended.progress.done,
      credits: ended.creditsUsed,
    });
  if (ended.status !== 'done') process.exitCode = 1;
}

function addRuns(program: Command): void {
  program
    .command('run')
    .description('start a run of a project, or of each project with a tag')
    .argument('[id]', 'project')
    .option('--tag <tag>', 'start a run of each project with this tag')
    .addOption(new Option('--wait', 'wait for the end of the run of a project').conflicts('tag'))
    .action(async (id: string | undefined, { tag, wait }: { tag?: string; wait?: true }, command: Command) => {
      if ((id === undefined) === (tag === undefined)) command.error('error: give either a project or --tag');
      if (tag !== undefined) await runTagged(tag, command);
      if (id !== undefined) await runOne(id, wait === true, command);
    });
  const runs = addListOptions(
    program.command('runs').description('list the runs of a project, newest first').argument('<id>', 'project'),
  );
  addRouteOptions(runs, 'GET /projects/{id}/runs', OWN_OF_LIST).action(
    async (id: string, flags: ListFlags, command: Command) => {
      const context = contextOf(command);
      const client = context.client();
      const query = routeFields(command, 'GET /projects/{id}/runs', OWN_OF_LIST);
      await printList(context, flags, {
        atOnce: 100,
        read: (range) => client.page('GET /projects/{id}/runs', { path: { id }, query: { ...query, ...range } }),
        columns: (run) => ({
          id: run.id,
          status: run.status,
          trigger: run.trigger,
          pages: run.progress.done,
          credits: run.creditsUsed,
          stop: run.stop,
          changes: changesText(run.changes?.counts),
          finishedAt: run.finishedAt,
        }),
      });
    },
  );
}

const changesText = (counts: { added: number; modified: number; removed: number } | null | undefined): string =>
  counts === null || counts === undefined ? '-' : `+${counts.added} ~${counts.modified} -${counts.removed}`;

export function addProjects(program: Command): void {
  addList(program);
  const project = program.command('project').description('create, read, change and delete a project');
  addWrites(project);
  addReads(project);
  addRuns(program);
}
