import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { addListOptions, type ListFlags, printList } from '../list.ts';
import { addRouteOptions, type OwnWords, routeFields } from '../route-options.ts';

const OWN = { cursor: '--cursor', limit: '--limit' } as const satisfies OwnWords<'GET /crawl'>;

function addCrawls(program: Command): void {
  const crawls = addListOptions(
    program.command('crawls').description('list the crawls without a project, newest first'),
  );
  addRouteOptions(crawls, 'GET /crawl', OWN).action(async (flags: ListFlags, command: Command) => {
    const context = contextOf(command);
    const client = context.client();
    const query = routeFields(command, 'GET /crawl', OWN);
    await printList(context, flags, {
      atOnce: 100,
      read: (range) => client.page('GET /crawl', { query: { ...query, ...range } }),
      columns: ({ id, status, stop, progress, creditsUsed, createdAt }) => ({
        id,
        status,
        stop,
        pages: progress.done,
        credits: creditsUsed,
        createdAt,
      }),
    });
  });
}

function addControls(program: Command): void {
  program
    .command('cancel')
    .description('cancel a crawl or a run (run_…), or a batch (job_…)')
    .argument('<id>', 'crawl, run or batch')
    .action(async (id: string, _: object, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const job = id.startsWith('job_') ? client().batch.of(id) : client().crawl.of(id);
      const { status, progress } = await job.cancel({ signal });
      out.note(`${id}: ${status}, ${progress.done} pages`);
    });
  for (const action of ['pause', 'resume'] as const)
    program
      .command(action)
      .description(`${action} a crawl`)
      .argument('<id>', 'crawl (run_…)')
      .action(async (id: string, _: object, command: Command) => {
        if (!id.startsWith('run_')) throw new CliError(`${id} is no crawl: its id begins with run_`, EXIT.usage);
        const { client, out, signal } = contextOf(command);
        const { status, paused } = await client().crawl.of(id)[action]({ signal });
        out.note(`${id}: ${paused ? 'paused' : status}`);
      });
}

export function addJobs(program: Command): void {
  addCrawls(program);
  addControls(program);
}
