import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Query } from '@tidemark/sdk';
import { Argument, type Command, Option } from 'commander';
import { contextOf } from '../context.ts';
import { CliError } from '../exit.ts';
import { wholeNumber } from '../values.ts';

type ExportQuery = Query<'GET /projects/{id}/export'>;

interface ExportFlags {
  readonly format?: ExportQuery['format'];
  readonly compression?: ExportQuery['compression'];
  readonly omit?: string;
  readonly after?: number;
  readonly guard?: ExportQuery['guard'];
  readonly bom?: true;
  readonly delimiter?: ExportQuery['delimiter'];
  readonly run?: string;
  readonly query?: string;
  readonly out?: string;
}

const DATASETS = ['pages', 'markdown', 'changes', 'fields', 'sitemap', 'llms', 'llms-full', 'evidence'] as const;
const FORMATS = ['jsonl', 'csv', 'parquet', 'xlsx', 'zip', 'txt', 'warc', 'wacz'] as const;

const isCrawl = (id: string): boolean => /^run_\w+$/.test(id);

export function addExports(program: Command): void {
  program
    .command('export')
    .description('download a dataset of a project or a crawl')
    .argument('<id>', 'project, or crawl (run_…)')
    .addArgument(new Argument('<dataset>', 'dataset').choices(DATASETS))
    .addOption(new Option('--format <format>', 'format, as the dataset permits').choices(FORMATS))
    .addOption(new Option('--compression <name>', 'compress the file itself').choices(['none', 'gzip', 'zstd']))
    .option('--omit <names>', 'columns to leave out; --fields names the columns of the file, in their order')
    .option('--after <n>', 'continue behind this row: the number of a page, the place of an entry', wholeNumber(0))
    .addOption(
      new Option('--guard <state>', 'CSV: neutralize cells that a spreadsheet would run').choices(['on', 'off']),
    )
    .option('--bom', 'CSV: begin with a byte order mark, by which Excel recognizes UTF-8')
    .addOption(new Option('--delimiter <name>', 'CSV: between cells').choices(['comma', 'semicolon', 'tab']))
    .option('--run <id>', 'run')
    .option('-q, --query <terms>', 'only these pages')
    .option('-o, --out <file>', 'file instead of standard output')
    .addHelpText(
      'before',
      'Examples:\n  tidemark export prj_01j… pages > pages.jsonl\n  tidemark export prj_01j… pages --format xlsx -o pages.xlsx\n  tidemark export prj_01j… pages --fields url,title --format csv --delimiter semicolon\n',
    )
    .action(async (id: string, dataset: ExportQuery['dataset'], flags: ExportFlags, command: Command) => {
      const { client, out, signal } = contextOf(command);
      const { run: run_id, query: q, out: file, bom, format, compression, omit, after, guard, delimiter } = flags;
      const query = {
        dataset,
        format,
        compression,
        fields: out.fields.length === 0 ? undefined : out.fields.join(','),
        omit,
        q,
        after,
        guard,
        bom: bom === true ? 'true' : undefined,
        delimiter,
      };
      const response = isCrawl(id)
        ? await client().call('GET /crawl/{id}/export', { path: { id }, query, signal })
        : await client()
            .projects.of(id)
            .export({ ...query, run_id }, { signal });
      if (response.body === null) throw new CliError('the export has no content');
      const target = file === undefined ? process.stdout : createWriteStream(file);
      await pipeline(Readable.from(response.body), target, { signal, end: file !== undefined });
      if (file !== undefined) out.note(`wrote ${file}`);
    });
}
