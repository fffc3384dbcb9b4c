import type { Command } from 'commander';
import { type Context, contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { readInput, urlLines } from '../files.ts';
import { addListOptions, type ListFlags, printList } from '../list.ts';

interface PageFlags extends ListFlags {
  readonly run?: string;
  readonly query?: string;
}

interface SearchFlags extends ListFlags {
  readonly run?: string;
  readonly selector?: true;
}

/** Searches the pages of a run to the end: a response covers a part of them. */
async function search(
  context: Context,
  id: string,
  q: string,
  { selector, run: run_id, ...flags }: SearchFlags,
): Promise<void> {
  const { client, out, signal } = context;
  const project = client().projects.of(id);
  const mode = selector === true ? 'selector' : 'content';
  const counts = { found: 0, searched: 0, total: 0 };
  let missing: string | null = null;
  await printList(context, flags, {
    atOnce: 100,
    async read({ limit, cursor }) {
      const part = await project.search({ q, mode, run_id, limit, cursor }, { signal });
      counts.found += part.data.length;
      counts.searched += part.scanned;
      counts.total = part.total;
      missing = part.note;
      return part;
    },
    columns: ({ url, matches, title, excerpts }) => ({ url, matches, title, excerpt: excerpts[0]?.text }),
  });
  out.note(`${counts.found} pages found in ${counts.searched} of ${counts.total} pages`);
  if (missing !== null) out.note(missing);
}

function addLists(program: Command): void {
  addListOptions(
    program
      .command('pages')
      .description('list the pages of a run, by default of the latest that has ended')
      .argument('<id>', 'project')
      .option('-q, --query <terms>', "terms such as 'httpStatus:403 depth:>2'")
      .option('--run <id>', 'run'),
  ).action(async (id: string, { query: q, run: run_id, ...flags }: PageFlags, command: Command) => {
    const context = contextOf(command);
    const client = context.client();
    await printList(context, flags, {
      atOnce: 1_000,
      read: (range) => client.page('GET /projects/{id}/pages', { path: { id }, query: { q, run_id, ...range } }),
      columns: ({ url, verdict, httpStatus, words, credits, title }) => ({
        url,
        verdict,
        httpStatus,
        words,
        credits,
        title,
      }),
    });
  });
  addListOptions(
    program
      .command('search')
      .description('find pages that contain words, or that match a selector')
      .argument('<id>', 'project')
      .argument('<words...>', 'words and quoted phrases, or one CSS or XPath selector with --selector')
      .option('--selector', 'the words are a selector')
      .option('--run <id>', 'run'),
  ).action((id: string, words: string[], flags: SearchFlags, command: Command) =>
    search(contextOf(command), id, words.join(' '), flags),
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
