import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageRow, ScrapeRequest } from '@tidemark/sdk';
import type { Command } from 'commander';
import { type Context, contextOf } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { fileNameOf, readInput, urlLines } from '../files.ts';
import { ProgressBar } from '../terminal/progress.ts';
import { list, setting, wholeNumber } from '../values.ts';

interface ScrapeFlags {
  readonly formats: readonly string[];
  readonly urlsFrom?: string;
  readonly out?: string;
  readonly maxCredits?: number;
  readonly timeout?: number;
  readonly config?: NonNullable<ScrapeRequest['config']>;
}

/** The fields of a row that hold a body, with the extension of its files, by format. */
const BODIES = {
  markdown: ['markdown', 'md'],
  text: ['text', 'txt'],
  cleanHtml: ['cleanHtml', 'html'],
  rawHtml: ['html', 'html'],
  links: ['links', 'json'],
} as const;

const MAX_BATCH = 500;
const READ = new Set(['ok', 'thin', 'cached', 'skipped']);

const isFormat = (name: string): name is keyof typeof BODIES => Object.hasOwn(BODIES, name);

/** Returns the body of a row in a format, as the text of a file. */
function bodyOf(row: PageRow, format: string): { readonly text: string; readonly extension: string } {
  if (!isFormat(format)) return { text: '', extension: 'txt' };
  const [field, extension] = BODIES[format];
  const value = row[field];
  return { text: typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2), extension };
}

const verdictLine = ({ url, verdict, errorCode, reason, words, credits }: PageRow): string =>
  `${verdict}${errorCode === 'OK' ? '' : ` (${errorCode})`}  ${url}  ${words} words, ${credits} ${credits === 1 ? 'credit' : 'credits'}${READ.has(verdict) ? '' : `: ${reason}`}`;

/** Captures one page: its body alone on stdout, or the row as JSON with several bodies; its verdict and cost on stderr. */
async function scrapeOne({ client, out, signal }: Context, url: string, flags: ScrapeFlags): Promise<void> {
  const { formats, maxCredits, timeout, config, out: folder } = flags;
  const row = await client().scrape(url, { formats: [...formats], maxCredits, timeout, config, signal });
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

/** Captures a list as batches: a line of JSON per page on stdout, in the order of completion. */
async function scrapeMany(context: Context, urls: readonly string[], flags: ScrapeFlags): Promise<void> {
  const { out, signal } = context;
  const { formats, maxCredits, config, out: folder } = flags;
  const client = context.client();
  for (let at = 0; at < urls.length; at += MAX_BATCH) {
    const part = urls.slice(at, at + MAX_BATCH);
    const batch = await client.batch.start(part, { formats: [...formats], maxCredits, config, signal });
    const bar = new ProgressBar();
    let done = 0;
    let creditsUsed = 0;
    try {
      for await (const row of batch.pages({ signal })) {
        done += 1;
        creditsUsed += row.credits;
        bar.clear();
        if (folder !== undefined) save(folder, row, formats);
        if (folder === undefined) out.record(row);
        else out.note(verdictLine(row));
        bar.update({ progress: { done, total: part.length, queued: 0 }, creditsUsed });
      }
    } catch (error) {
      if (signal.aborted) out.note(`the batch continues on the server: tidemark api GET /scrape/${batch.id}`);
      throw error;
    } finally {
      bar.clear();
    }
    out.note(`${done} pages, ${creditsUsed} credits (${batch.id})`);
  }
}

export function addScrape(program: Command): void {
  program
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
    .option('-c, --config <key=value>', 'a configuration key, such as render_js=always; repeatable', setting)
    .addHelpText('before', EXAMPLES)
    .action(async (urls: string[], given: Partial<ScrapeFlags>, command: Command) => {
      const context = contextOf(command);
      const { urlsFrom } = given;
      const all = [...urls, ...(urlsFrom === undefined ? [] : urlLines(await readInput(urlsFrom, context.signal)))];
      const flags = { ...given, formats: given.formats ?? ['markdown'] };
      const [first] = all;
      if (first === undefined) throw new CliError('no URL: give one, or --urls-from FILE', EXIT.usage);
      const unknown = flags.formats.find((format) => !isFormat(format));
      if (unknown !== undefined)
        throw new CliError(`unknown format ${unknown}: expected ${Object.keys(BODIES).join(', ')}`, EXIT.usage);
      await (all.length === 1 ? scrapeOne(context, first, flags) : scrapeMany(context, all, flags));
    });
}

const EXAMPLES = `Examples:
  tidemark scrape https://example.com/ > page.md
  tidemark scrape -f markdown,links --urls-from urls.txt > pages.jsonl
  sort -u urls.txt | tidemark scrape --urls-from - -o pages
`;
