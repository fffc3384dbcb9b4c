import type { Command } from 'commander';
import { applySteps } from '../apply/apply-steps.ts';
import { describeStep, isDeletion } from '../apply/describe-step.ts';
import { type LoadedPlan, loadPlan } from '../apply/load-plan.ts';
import { printSteps, summaryOf } from '../apply/print-steps.ts';

import { type Context, confirm, contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { readDesiredSites } from '../read-desired-sites.ts';
import type { Output } from '../terminal/output.ts';

interface ApplyFlags {
  readonly file?: string;
  readonly plan?: true;
  readonly prune?: true;
  readonly yes?: true;
  readonly schema?: true;
}

async function apply(command: Command, { file, plan: isPlan, prune, yes }: ApplyFlags): Promise<void> {
  const context = contextOf(command);
  const { out, signal } = context;
  if (file === undefined) throw new CliError('give the file with -f, such as -f sites.yaml', EXIT.usage);
  const desired = await readDesiredSites(file, signal);
  const plan = await loadPlan(context.client(), desired, signal);
  if (isPlan === true) return showPlan(plan, prune === true, out);
  const deletions = plan.steps.filter(isDeletion);
  if (prune === true && deletions.length > 0) {
    for (const line of deletions.flatMap(describeStep)) out.note(line);
    await confirm('What the file does not have is deleted.', yes);
  }
  await makeEqual(plan, prune === true, context);
}

/** Prints the plan. The exit code states whether something would change. */
function showPlan({ steps, unchanged }: LoadedPlan, isPruning: boolean, out: Output): void {
  printSteps(steps, out);
  const hint = !isPruning && steps.some(isDeletion) ? '; deletions need --prune' : '';
  out.note(`${summaryOf(steps)}, ${unchanged} unchanged${hint}`);
  if (steps.length > 0) process.exitCode = EXIT.changes;
}

async function makeEqual(plan: LoadedPlan, isPruning: boolean, { client, out, signal }: Context): Promise<void> {
  const steps = isPruning ? plan.steps : plan.steps.filter((step) => !isDeletion(step));
  const ids = new Map(plan.projects.map(({ reference, id }) => [reference, id]));
  await applySteps(steps, ids, { client: client(), signal, onDone: (step) => printSteps([step], out) });
  const left = plan.steps.length - steps.length;
  const hint = left === 0 ? '' : `; ${left} not in the file: --prune deletes them`;
  out.note(`${summaryOf(steps)}, ${plan.unchanged} unchanged${hint}`);
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
