import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch, PageRow, ScrapeRequest } from '@tidemark/sdk';
import type { Command } from 'commander';
import { BODIES, bodyOf, requireFormats } from '../bodies.ts';
import { type Context, contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { fileNameOf, readInput, urlLines } from '../files.ts';
import { addRouteOptions, type OwnWords, routeFields } from '../route-options.ts';
import { ProgressBar } from '../terminal/progress.ts';
import { list, setting, wholeNumber } from '../values.ts';

interface ScrapeFlags {
  readonly formats: readonly string[];
  readonly urlsFrom?: string;
  readonly out?: string;
  readonly maxCredits?: number;
  readonly timeout?: number;
  readonly config?: NonNullable<ScrapeRequest['config']>;
  /** Fields of the request that have no words of their own. */
  readonly fields: Record<string, unknown>;
}

const OWN = {
  url: '[urls]',
  urls: '[urls]',
  formats: '--formats',
  timeout: '--timeout',
  config: '--config',
  scrapeOptions: '--formats',
  maxCredits: '--max-credits',
} as const satisfies OwnWords<'POST /scrape'>;

const MAX_BATCH = 500;
const READ = new Set(['ok', 'thin', 'cached', 'skipped']);

const verdictLine = ({ url, verdict, errorCode, reason, words, credits }: PageRow): string =>
  `${verdict}${errorCode === 'OK' ? '' : ` (${errorCode})`}  ${url}  ${words} words, ${credits} ${credits === 1 ? 'credit' : 'credits'}${READ.has(verdict) ? '' : `: ${reason}`}`;

/** Captures one page: its body alone on stdout, or the row as JSON with several bodies; its verdict and cost on stderr. */
async function scrapeOne({ client, out, signal }: Context, url: string, flags: ScrapeFlags): Promise<void> {
  const { formats, maxCredits, timeout, config, fields, out: folder } = flags;
  const row = await client().scrape(url, { ...fields, formats: [...formats], maxCredits, timeout, config, signal });
  if (folder !== undefined) save(folder, row, formats);
  else if (out.isJson || formats.length > 1) out.record(row);
  else if (READ.has(row.verdict)) out.text(bodyOf(row, formats[0] ?? '').text);
  out.note(verdictLine(row));
  if (!READ.has(row.verdict)) process.exitCode = EXIT.failed;
}

function save(folder: string, row: PageRow, formats: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const format of formats) {
    const { text, extension } = bodyOf(row, format);
    if (READ.has(row.verdict)) writeFileSync(join(folder, fileNameOf(row.url, extension)), text);
  }
}

/** Writes the rows of a batch as they come. Where it stops before the end, prints how to read the others. */
async function followBatch({ out, signal }: Context, batch: Batch, total: number, flags: ScrapeFlags) {
  const bar = new ProgressBar();
  const counts = { done: 0, creditsUsed: 0 };
  let cursor = '';
  const write = (row: PageRow): void => {
    counts.done += 1;
    counts.creditsUsed += row.credits;
    if (flags.out === undefined) out.record(row);
    else {
      save(flags.out, row, flags.formats);
      out.note(verdictLine(row));
    }
  };
  try {
    for await (const rows of batch.lists({ signal })) {
      bar.clear();
      rows.data.forEach(write);
      cursor = ` cursor=${rows.cursor}`;
      bar.update({ progress: { done: counts.done, total, queued: 0 }, creditsUsed: counts.creditsUsed });
    }
  } catch (error) {
    bar.clear();
    out.note(`the batch continues on the server: tidemark api GET /scrape/${batch.id}${cursor}`);
    throw error;
  }
  bar.clear();
  return counts;
}

/** Captures a list as batches: a line of JSON per page on stdout, in the order of completion. */
async function scrapeMany(context: Context, urls: readonly string[], flags: ScrapeFlags): Promise<void> {
  const { out, signal } = context;
  const { formats, maxCredits, config, fields } = flags;
  const client = context.client();
  let sent = 0;
  try {
    while (sent < urls.length) {
      const part = urls.slice(sent, sent + MAX_BATCH);
      const options = { ...fields, formats: [...formats], maxCredits, config, signal };
      const batch = await client.batch.start(part, options);
      sent += part.length;
      const { done, creditsUsed } = await followBatch(context, batch, part.length, flags);
      out.note(`${done} pages, ${creditsUsed} credits (${batch.id})`);
    }
  } finally {
    if (sent < urls.length) out.note(`${urls.length - sent} of ${urls.length} URLs were not sent`);
  }
}

export function addScrape(program: Command): void {
  const scrape = program
    .command('scrape')
    .description('capture pages: one to stdout, several as lines of JSON')
    .argument('[urls...]', 'one or more URLs')
    .option(
      '-f, --formats <list>',
      `bodies to return: ${Object.keys(BODIES).join(', ')}; several are printed as JSON`,
      list,
    )
    .option('--urls-from <file>', 'read URLs from a file, one a line; - is standard input')
    .option('-o, --out <dir>', 'write the bodies into a folder')
    .option('--max-credits <n>', 'maximum cost of one page', wholeNumber(1))
    .option('--timeout <seconds>', 'time of one request; the capture continues after it', wholeNumber(1))
    .option(
      '-c, --config <key=value>',
      'a configuration key of `tidemark settings`, such as render_js=always; repeatable',
      setting,
    )
    .addHelpText('before', EXAMPLES);
  addRouteOptions(scrape, 'POST /scrape', OWN).action(
    async (urls: string[], given: Partial<ScrapeFlags>, command: Command) => {
      const context = contextOf(command);
      const { urlsFrom } = given;
      const all = [...urls, ...(urlsFrom === undefined ? [] : urlLines(await readInput(urlsFrom, context.signal)))];
      const fields = routeFields(command, 'POST /scrape', OWN);
      const flags = { ...given, formats: given.formats ?? ['markdown'], fields };
      const [first] = all;
      if (first === undefined) throw new CliError('no URL: give one, or --urls-from FILE', EXIT.usage);
      requireFormats(flags.formats);
      await (all.length === 1 ? scrapeOne(context, first, flags) : scrapeMany(context, all, flags));
    },
  );
}

const EXAMPLES = `Examples:
  tidemark scrape https://example.com/ > page.md
  tidemark scrape -f markdown,links --urls-from urls.txt > pages.jsonl
  sort -u urls.txt | tidemark scrape --urls-from - -o pages
`;
