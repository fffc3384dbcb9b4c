import type { CrawlRequest, MapRow } from '@tidemark/sdk';
import { type Command, Option } from 'commander';
import { type Context, contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { addRouteOptions, type OwnWords, routeFields } from '../route-options.ts';
import { ProgressBar } from '../terminal/progress.ts';
import { list, setting, wholeNumber } from '../values.ts';

interface CrawlFlags {
  readonly limit?: number;
  readonly depth?: number;
  readonly include?: string[];
  readonly exclude?: string[];
  readonly formats?: string[];
  readonly config?: NonNullable<CrawlRequest['config']>;
  readonly detach?: true;
  readonly keep?: string;
  readonly cursor?: string;
}

const OWN = {
  url: '[url]',
  limit: '--limit',
  maxDepth: '--depth',
  includePaths: '--include',
  excludePaths: '--exclude',
  scrapeOptions: '--formats',
  config: '--config',
} as const satisfies OwnWords<'POST /crawl'>;
const OWN_OF_KEEP = { name: '--keep' } as const satisfies OwnWords<'POST /crawl/{id}/keep'>;
const OWN_OF_MAP = { url: '[url]', search: '--search', limit: '--limit' } as const satisfies OwnWords<'POST /map'>;

/** Requests of the options that have no words of their own. */
interface CrawlFields {
  readonly start: Record<string, unknown>;
  readonly keep: Record<string, unknown>;
}

type Crawl = ReturnType<ReturnType<Context['client']>['crawl']['of']>;

/** Writes the rows of a crawl as they come. Ctrl-C leaves the crawl running and prints how to continue. */
async function follow({ out, signal }: Context, crawl: Crawl, flags: CrawlFlags): Promise<void> {
  const bar = new ProgressBar();
  let cursor = flags.cursor;
  try {
    for await (const rows of crawl.lists({
      cursor,
      signal,
      ...(flags.formats === undefined ? { formats: 'none' } : {}),
    })) {
      bar.clear();
      for (const row of rows.data) out.record(row);
      cursor = rows.cursor;
      if (process.stderr.isTTY) bar.update(await crawl.read({ signal }));
    }
  } catch (error) {
    bar.clear();
    const from = cursor === undefined ? '' : ` --cursor ${cursor}`;
    out.note(`the crawl continues on the server: tidemark crawl ${crawl.id}${from}`);
    throw error;
  }
  bar.clear();
}

async function startOrOpen(
  { client, out, signal }: Context,
  target: string,
  flags: CrawlFlags,
  fields: CrawlFields['start'],
): Promise<Crawl> {
  if (/^run_\w+$/.test(target)) return client().crawl.of(target);
  const { limit, depth: maxDepth, include: includePaths, exclude: excludePaths, config, formats } = flags;
  const scrapeOptions = formats === undefined ? undefined : { formats };
  const crawl = await client().crawl.start(target, {
    ...fields,
    limit,
    maxDepth,
    includePaths,
    excludePaths,
    config,
    scrapeOptions,
    signal,
  });
  out.note(`started ${crawl.id}`);
  return crawl;
}

async function runCrawl(context: Context, target: string, flags: CrawlFlags, fields: CrawlFields): Promise<void> {
  const { out, signal } = context;
  const crawl = await startOrOpen(context, target, flags, fields.start);
  if (flags.detach === true) return out.isJson ? out.record({ id: crawl.id }) : out.text(crawl.id);
  await follow(context, crawl, flags);
  const { status, stop, creditsUsed, progress, error } = await crawl.read({ signal });
  out.note(
    `${status}${stop === null ? '' : ` (${stop})`}: ${progress.done} pages, ${creditsUsed} credits${error === null ? '' : `: ${error}`}`,
  );
  if (flags.keep !== undefined) out.note(`kept as ${(await crawl.keep({ ...fields.keep, name: flags.keep })).id}`);
  if (status === 'error') process.exitCode = EXIT.failed;
}

export function addCrawl(program: Command): void {
  const crawl = program
    .command('crawl')
    .description('crawl a site: a line of JSON per page on stdout as they come')
    .argument('<url>', 'seed URL, or the id of a crawl (run_…) to follow')
    .option('--limit <n>', 'maximum number of pages', wholeNumber(1))
    .option('--depth <n>', 'maximum number of links from the seed', wholeNumber(0))
    .option('--include <globs>', 'only these paths', list)
    .option('--exclude <globs>', 'not these paths', list)
    .option('-f, --formats <list>', 'bodies in the rows; by default none', list)
    .option('-c, --config <key=value>', 'a configuration key of `tidemark settings`; repeatable', setting)
    .addOption(new Option('--follow', 'print the pages as they come; the default').conflicts('detach'))
    .option('--detach', 'print the id of the crawl and end')
    .option('--keep <name>', 'turn the crawl into a project at its end')
    .option('--cursor <cursor>', 'continue after these rows')
    .addHelpText(
      'before',
      'Examples:\n  tidemark crawl https://example.com/ --limit 100 > pages.jsonl\n  tidemark crawl run_01j… --cursor …\n',
    );
  addRouteOptions(crawl, 'POST /crawl', OWN);
  addRouteOptions(crawl, 'POST /crawl/{id}/keep', OWN_OF_KEEP);
  crawl.action(async (target: string, flags: CrawlFlags, command: Command) => {
    const start = routeFields(command, 'POST /crawl', OWN);
    const keep = routeFields(command, 'POST /crawl/{id}/keep', OWN_OF_KEEP);
    if (flags.keep === undefined && Object.keys(keep).length > 0)
      throw new CliError(`${Object.keys(keep).join(', ')} are settings of the project: add --keep NAME`, EXIT.usage);
    await runCrawl(contextOf(command), target, flags, { start, keep });
  });
}

export function addMap(program: Command): void {
  const map = program
    .command('map')
    .description('list the URLs that a site declares')
    .argument('<url>', 'any URL of the site')
    .option('--search <text>', 'only URLs that contain this text')
    .option('--limit <n>', 'maximum number of URLs', wholeNumber(1))
    .addHelpText(
      'before',
      'Examples:\n  tidemark map https://example.com/ --search blog\n  tidemark map https://example.com/ --json=url,lastmod\n',
    );
  addRouteOptions(map, 'POST /map', OWN_OF_MAP).action(
    async (url: string, { search, limit }: { search?: string; limit?: number }, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const fields = routeFields(command, 'POST /map', OWN_OF_MAP);
      const map = await client().map(url, { ...fields, search, limit, signal });
      const print = (row: MapRow): void => (out.isJson ? out.record(row) : out.text(row.url));
      for (const row of map.data) print(row);
      const isCut = search === undefined && map.data.length < map.totals.urls;
      out.note(
        `${map.data.length} of ${map.totals.urls} URLs in ${map.totals.files} files, ${map.creditsUsed} credits${isCut ? '; more with --limit' : ''}`,
      );
      if (map.status === 'error') process.exitCode = EXIT.failed;
    },
  );
}
