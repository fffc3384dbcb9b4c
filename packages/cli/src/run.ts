import { Command, CommanderError } from 'commander';
import { addAccount } from './commands/account.ts';
import { addApi } from './commands/api.ts';
import { addApply } from './commands/apply.ts';
import { addChanges } from './commands/changes.ts';
import { addCompletion } from './commands/completion.ts';
import { addConnections } from './commands/connections.ts';
import { addCrawl, addMap } from './commands/crawl.ts';
import { addDestinations } from './commands/destinations.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExports } from './commands/exports.ts';
import { addFeeds } from './commands/feeds.ts';
import { addImport } from './commands/import.ts';
import { addJobs } from './commands/jobs.ts';
import { addKeys } from './commands/keys.ts';
import { addLogs } from './commands/logs.ts';
import { addMcp } from './commands/mcp.ts';
import { addMembers } from './commands/members.ts';
import { addPages } from './commands/pages.ts';
import { addProjects } from './commands/projects.ts';
import { addScrape } from './commands/scrape.ts';
import { addSettings } from './commands/settings.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { describeError, EXIT } from './exit.ts';
import { interruptSignal, watchInterrupts } from './interrupt.ts';
import { VERSION } from './version.ts';

const COMMANDS = [
  addScrape,
  addCrawl,
  addMap,
  addJobs,
  addProjects,
  addSettings,
  addPages,
  addChanges,
  addExports,
  addWebhooks,
  addImport,
  addApply,
  addDestinations,
  addConnections,
  addFeeds,
  addMembers,
  addKeys,
  addLogs,
  addAccount,
  addApi,
  addMcp,
  addDoctor,
  addCompletion,
];

export function createProgram(): Command {
  const program = new Command('tidemark')
    .description('Clean content from any web address, a verdict on each fetch, and a record of what changed.')
    .version(VERSION, '-V, --version')
    .option('--json', 'JSON instead of text; --json=url,verdict for these fields alone')
    .option('--fields <names>', 'JSON with these fields alone')
    .option('--profile <name>', 'profile of the settings file')
    .option('--base-url <url>', 'API root with its version prefix')
    .option('--workspace <id>', 'act in a sub-account of the workspace')
    .showSuggestionAfterError()
    .showHelpAfterError('(tidemark <command> --help shows examples)')
    .exitOverride();
  for (const add of COMMANDS) add(program);
  inherit(program);
  return program;
}

/** Global options are accepted after the command too, as in `tidemark projects --json`. */
function inherit(program: Command): void {
  const globals = program.options.filter(({ long }) => long !== '--version');
  const visit = (command: Command): void => {
    for (const option of globals)
      command.addOption(Object.assign(Object.create(option), { helpGroupHeading: 'Global options:' }));
    command.exitOverride();
    command.commands.forEach(visit);
  };
  program.commands.forEach(visit);
}

/** Runs the command line. Ends with the exit code of the command. */
export async function run(argv: readonly string[]): Promise<void> {
  // A closed pipe (`| head`) is the end of the output, not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
  );
  watchInterrupts();
  try {
    // An optional value would take the next argument: `--json prj_…`.
    await createProgram().parseAsync(argv.map((word) => word.replace(/^--json=/, '--fields=')));
    interruptSignal.throwIfAborted();
  } catch (failure) {
    const error: unknown = interruptSignal.aborted ? interruptSignal.reason : failure;
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
      return;
    }
    const { text, exitCode } = describeError(error);
    process.stderr.write(`${text}\n`);
    // A request in progress would keep the process alive.
    if (interruptSignal.aborted) process.exit(exitCode);
    process.exitCode = exitCode;
  }
}
