import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { readInput, urlLines } from '../files.ts';
import { wholeNumber } from '../values.ts';
import { firstOf } from './projects.ts';

interface PageFlags {
  readonly run?: string;
  readonly query?: string;
  readonly limit: number;
}

function addLists(program: Command): void {
  program
    .command('pages')
    .description('list the pages of a run, by default of the latest that has ended')
    .argument('<id>', 'project')
    .option('-q, --query <terms>', "terms such as 'httpStatus:403 depth:>2'")
    .option('--run <id>', 'run')
    .option('--limit <n>', 'number of pages', wholeNumber(1), 1_000)
    .action(async (id: string, { query: q, run: run_id, limit }: PageFlags, command: Command) => {
      const { client, out } = contextOf(command);
      const query = { q, run_id, limit: Math.min(limit, 1_000) };
      await out.rows(
        firstOf(client().projects.of(id).pages(query), limit),
        ({ url, verdict, httpStatus, words, credits, title }) => ({ url, verdict, httpStatus, words, credits, title }),
      );
    });
  program
    .command('search')
    .description('find pages that contain words, or that match a selector')
    .argument('<id>', 'project')
    .argument('<words...>', 'words and quoted phrases, or one CSS or XPath selector with --selector')
    .option('--selector', 'the words are a selector')
    .option('--run <id>', 'run')
    .action(
      async (
        id: string,
        words: string[],
        { selector, run: run_id }: { selector?: true; run?: string },
        command: Command,
      ) => {
        const { client, out } = contextOf(command);
        const mode = selector === true ? 'selector' : 'content';
        const found = await client()
          .projects.of(id)
          .search({ q: words.join(' '), mode, run_id });
        await out.rows(found.data, (page) => ({ ...page }));
        out.note(`${found.total} of ${found.scanned} pages; ${found.withoutBody} have no stored body`);
      },
    );
}

export function addPages(program: Command): void {
  addLists(program);
  program
    .command('page')
    .description('print the markdown of a stored page')
    .argument('<id>', 'project')
    .argument('<url>', 'page')
    .option('--run <id>', 'run')
    .action(async (id: string, url: string, { run: run_id }: { run?: string }, command: Command) => {
      const { client, out } = contextOf(command);
      const page = await client().projects.of(id).page(url, { run_id });
      if (out.isJson) out.record(page);
      else out.text(page.markdown ?? '');
    });
  program
    .command('recrawl')
    .description('fetch listed pages of a project now, as a run of its own')
    .argument('<id>', 'project')
    .argument('[urls...]', 'pages')
    .option('--urls-from <file>', 'read URLs from a file; - is standard input')
    .action(async (id: string, given: string[], { urlsFrom }: { urlsFrom?: string }, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const urls = [...given, ...(urlsFrom === undefined ? [] : urlLines(await readInput(urlsFrom, signal)))];
      if (urls.length === 0) throw new CliError('no URL: give one, or --urls-from FILE', EXIT.usage);
      const run = await client().projects.of(id).recrawl(urls);
      if (out.isJson) out.record(run);
      else out.text(run.id);
    });
}
