import type { FoundPages } from '@tidemark/sdk';
import type { Command } from 'commander';
import { BODIES, bodyOf, requireFormats } from '../bodies.ts';
import { type Context, contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { readInput, urlLines } from '../files.ts';
import { addListOptions, type ListFlags, printList } from '../list.ts';
import { addRouteOptions, type OwnWords, routeFields } from '../route-options.ts';
import { list } from '../values.ts';

interface PageFlags extends ListFlags {
  readonly run?: string;
  readonly query?: string;
}

const OWN_OF_LIST = {
  q: '--query',
  run_id: '--run',
  fields: '--fields',
  omit: '--fields',
  cursor: '--cursor',
  limit: '--limit',
} as const satisfies OwnWords<'GET /projects/{id}/pages'>;
const OWN_OF_SEARCH = {
  q: '[words]',
  mode: '--selector',
  run_id: '--run',
  cursor: '--cursor',
  limit: '--limit',
} as const satisfies OwnWords<'POST /projects/{id}/pages/search'>;
const OWN_OF_PAGE = {
  url: '[url]',
  run_id: '--run',
  format: '--formats',
} as const satisfies OwnWords<'GET /projects/{id}/pages/content'>;

const OWN_OF_VERSIONS = {
  url: '[url]',
  cursor: '--cursor',
  limit: '--limit',
} as const satisfies OwnWords<'GET /projects/{id}/pages/versions'>;

const OWN_OF_BLAME = { url: '[url]' } as const satisfies OwnWords<'GET /projects/{id}/pages/blame'>;

interface SearchFlags extends ListFlags {
  readonly run?: string;
  readonly selector?: true;
  readonly across?: 'run' | 'versions';
  readonly since?: string;
  readonly until?: string;
}

/** Searches the pages of a run, or every version of them, to the end: a response covers a part of them. */
async function search(
  context: Context,
  id: string,
  q: string,
  { selector, run: run_id, across, since, until, ...flags }: SearchFlags,
): Promise<void> {
  const { client, out, signal } = context;
  const project = client().projects.of(id);
  const mode = selector === true ? 'selector' : 'content';
  const counts: { found: number; searched: number; total: number | null } = { found: 0, searched: 0, total: 0 };
  let missing: string | null = null;
  await printList(context, flags, {
    atOnce: 100,
    async read({ limit, cursor }) {
      const part = await project.search({ q, mode, run_id, across, since, until, limit, cursor }, { signal });
      counts.found += part.data.length;
      counts.searched += part.scanned;
      counts.total = part.total;
      missing = part.note;
      return part;
    },
    columns: ({ url, matches, title, excerpts, intervals }) => ({
      url,
      matches,
      title,
      ...(across === 'versions' ? { seen: intervals?.map(periodOf).join(', ') } : {}),
      excerpt: excerpts[0]?.text,
    }),
  });
  const all = counts.total === null ? `${counts.searched} versions` : `${counts.searched} of ${counts.total} pages`;
  out.note(`${counts.found} pages found in ${all}`);
  if (missing !== null) out.note(missing);
}

type FoundInterval = NonNullable<FoundPages['data'][number]['intervals']>[number];

/** Writes an interval; without an end the newest reading is in it. */
const periodOf = ({ firstSeen, lastSeen, goneSeen }: FoundInterval): string =>
  `${firstSeen} – ${goneSeen === null ? 'now' : lastSeen}`;

function addLists(program: Command): void {
  const pages = addListOptions(
    program
      .command('pages')
      .description('list the pages of a run, by default of the latest that has ended')
      .argument('<id>', 'project')
      .option('-q, --query <terms>', "terms such as 'httpStatus:403 depth:>2'")
      .option('--run <id>', 'run'),
  );
  addRouteOptions(pages, 'GET /projects/{id}/pages', OWN_OF_LIST).action(
    async (id: string, flags: PageFlags, command: Command) => {
      const { query: q, run: run_id, ...listed } = flags;
      const context = contextOf(command);
      const client = context.client();
      const named = context.out.fields.length === 0 ? {} : { fields: context.out.fields.join(',') };
      const query = { ...routeFields(command, 'GET /projects/{id}/pages', OWN_OF_LIST), ...named, q, run_id };
      await printList(context, listed, {
        atOnce: 1_000,
        read: (range) => client.page('GET /projects/{id}/pages', { path: { id }, query: { ...query, ...range } }),
        columns: ({ url, verdict, httpStatus, words, credits, title }) => ({
          url,
          verdict,
          httpStatus,
          words,
          credits,
          title,
        }),
      });
    },
  );
  const found = addListOptions(
    program
      .command('search')
      .description('find pages that contain words, or that match a selector')
      .argument('<id>', 'project')
      .argument('<words...>', 'words and quoted phrases, or one CSS or XPath selector with --selector')
      .option('--selector', 'the words are a selector')
      .option('--run <id>', 'run'),
  );
  addRouteOptions(found, 'POST /projects/{id}/pages/search', OWN_OF_SEARCH).action(
    (id: string, words: string[], flags: SearchFlags, command: Command) =>
      search(contextOf(command), id, words.join(' '), flags),
  );
}

function addVersions(program: Command): void {
  const versions = addListOptions(
    program
      .command('versions')
      .description('list the versions of a page over time, newest first')
      .argument('<id>', 'project')
      .argument('<url>', 'page'),
  );
  addRouteOptions(versions, 'GET /projects/{id}/pages/versions', OWN_OF_VERSIONS).action(
    async (id: string, url: string, flags: ListFlags, command: Command) => {
      const context = contextOf(command);
      const client = context.client();
      let completeSince: string | null = null;
      await printList(context, flags, {
        atOnce: 100,
        async read(range) {
          const query = { url, ...range };
          const part = await client.call('GET /projects/{id}/pages/versions', { path: { id }, query });
          ({ completeSince } = part);
          return part;
        },
        columns: ({ firstSeen, lastSeen, readings, words, wordsAdded, wordsRemoved, runId, sameAs }) => ({
          firstSeen,
          lastSeen,
          readings,
          words,
          wordsAdded,
          wordsRemoved,
          runId,
          sameAs,
        }),
      });
      if (completeSince !== null) context.out.note(`readings up to ${completeSince} were deleted by retention`);
    },
  );
}

function addBlame(program: Command): void {
  const blame = program
    .command('blame')
    .description('print when each block of a page appeared and was last edited')
    .argument('<id>', 'project')
    .argument('<url>', 'page');
  addRouteOptions(blame, 'GET /projects/{id}/pages/blame', OWN_OF_BLAME).action(
    async (id: string, url: string, _flags: object, command: Command) => {
      const { client, out } = contextOf(command);
      const query = routeFields(command, 'GET /projects/{id}/pages/blame', OWN_OF_BLAME);
      const found = await client().projects.of(id).blame(url, query);
      if (out.isJson) out.record(found);
      else
        out.text(found.blocks.map(({ origin, lastEdit, text }) => `${origin.at}  ${lastEdit.at}  ${text}`).join('\n'));
    },
  );
}

export function addPages(program: Command): void {
  addBlame(program);
  addLists(program);
  addVersions(program);
  const page = program
    .command('page')
    .description('print a body of a stored page, by default its markdown')
    .argument('<id>', 'project')
    .argument('<url>', 'page')
    .option('-f, --formats <list>', `bodies: ${Object.keys(BODIES).join(', ')}; several are printed as JSON`, list)
    .option('--run <id>', 'run')
    .addHelpText('before', 'Examples:\n  tidemark page prj_01j… https://example.com/ -f rawHtml > page.html\n');
  addRouteOptions(page, 'GET /projects/{id}/pages/content', OWN_OF_PAGE).action(
    async (id: string, url: string, flags: { run?: string; formats?: string[] }, command: Command) => {
      const { client, out } = contextOf(command);
      const formats = requireFormats(flags.formats ?? (out.isJson ? [] : ['markdown']));
      const query = routeFields(command, 'GET /projects/{id}/pages/content', OWN_OF_PAGE);
      const format = formats.length === 0 ? undefined : formats;
      const found = await client()
        .projects.of(id)
        .page(url, { ...query, run_id: flags.run, format });
      const [first] = formats;
      if (out.isJson || first === undefined || formats.length > 1) out.record(found);
      else out.text(bodyOf(found, first).text);
    },
  );
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
