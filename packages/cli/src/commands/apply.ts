import type { Command } from 'commander';
import { applySteps } from '../apply/apply-steps.ts';
import { describeStep, isDeletion } from '../apply/describe-step.ts';
import { planSites } from '../apply/plan-sites.ts';
import { presentConnections, presentProjects } from '../apply/present-sites.ts';
import type { DesiredSites, Step } from '../apply/sites.ts';
import { confirm, contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { readInput } from '../files.ts';
import type { Output } from '../terminal/output.ts';

interface ApplyFlags {
  readonly file?: string;
  readonly plan?: true;
  readonly prune?: true;
  readonly yes?: true;
  readonly schema?: true;
}

async function read(file: string, signal: AbortSignal): Promise<DesiredSites> {
  const text = await readInput(file, signal);
  const { readSites } = await import('../sites-reader.ts');
  const result = readSites(text, process.env);
  if ('sites' in result) return result.sites;
  const more = result.faults.length === 1 ? '' : `\n  and ${result.faults.length - 1} more`;
  throw new CliError(
    `${file}:${result.faults.slice(0, 20).join(`\n${file}:`)}${result.faults.length > 20 ? more : ''}`,
    EXIT.usage,
  );
}

function print(steps: readonly Step[], out: Output): void {
  for (const step of steps)
    if (out.isJson) out.record(withoutConfig(step));
    else for (const line of describeStep(step)) out.text(line);
}

/** Returns a step without the values of the file, which contain secrets. */
const withoutConfig = (step: Step): object => {
  if (step.kind === 'create-project') {
    const { reference, seed, name, schedule, timezone, retention, shownConfig } = step.project;
    return { kind: step.kind, reference, seed, name, schedule, timezone, retention, config: shownConfig };
  }
  if (step.kind !== 'change-project') return step;
  const { patch: _, ...shown } = step;
  return shown;
};

async function apply(command: Command, { file, plan: planOnly, prune, yes }: ApplyFlags): Promise<void> {
  const { client, out, signal } = contextOf(command);
  if (file === undefined) throw new CliError('give the file with -f, such as -f sites.yaml', EXIT.usage);
  const desired = await read(file, signal);
  const tidemark = client();
  const projects = await presentProjects(tidemark, desired.name, signal);
  const needsConnections = desired.projects.some(({ destinations }) => destinations.length > 0);
  const connections = needsConnections ? await presentConnections(tidemark, signal) : [];
  const { steps, unchanged, faults } = planSites(desired, { projects, connections });
  if (faults.length > 0) throw new CliError(faults.join('\n'));
  const deletions = steps.filter(isDeletion);
  const chosen = prune === true ? steps : steps.filter((step) => !isDeletion(step));
  if (planOnly === true) {
    print(steps, out);
    out.note(
      `${summary(steps)}, ${unchanged} unchanged${deletions.length > 0 && prune !== true ? '; deletions need --prune' : ''}`,
    );
    if (steps.length > 0) process.exitCode = EXIT.changes;
    return;
  }
  if (prune === true && deletions.length > 0) {
    for (const step of deletions) for (const line of describeStep(step)) out.note(line);
    await confirm('What the file does not have is deleted.', yes);
  }
  const ids = new Map(projects.map(({ reference, id }) => [reference, id]));
  await applySteps(chosen, ids, { client: tidemark, signal, onDone: (step) => print([step], out) });
  const left = steps.length - chosen.length;
  out.note(
    `${summary(chosen)}, ${unchanged} unchanged${left === 0 ? '' : `; ${left} not in the file: --prune deletes them`}`,
  );
}

function summary(steps: readonly Step[]): string {
  const count = (start: string): number => steps.filter(({ kind }) => kind.startsWith(start)).length;
  return `${count('create')} created, ${count('change')} changed, ${count('delete')} deleted`;
}

export function addApply(program: Command): void {
  program
    .command('apply')
    .description('make the projects, schedules and destinations of the workspace equal to a file')
    .option('-f, --file <file>', 'YAML or JSON; - is standard input')
    .option('--plan', 'print what would change, and change nothing; exit code 2 if something would')
    .option('--prune', 'delete projects of the set, and their destinations, that the file does not have')
    .option('--yes', 'skip the confirmation of --prune')
    .option('--schema', 'print the JSON Schema of the file for editors')
    .addHelpText(
      'before',
      'Examples:\n  tidemark apply -f sites.yaml --plan\n  tidemark apply -f sites.yaml\n  tidemark apply -f sites.yaml --prune --yes\n  tidemark apply --schema > sites.schema.json\n',
    )
    .action(async (flags: ApplyFlags, command: Command) => {
      if (flags.schema !== true) return apply(command, flags);
      const { sitesSchemaText } = await import('../sites-reader.ts');
      contextOf(command).out.text(sitesSchemaText());
    });
}
