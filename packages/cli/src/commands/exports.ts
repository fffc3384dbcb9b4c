import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Query } from '@tidemark/sdk';
import { Argument, type Command } from 'commander';
import { contextOf } from '../context.ts';
import { CliError } from '../exit.ts';
import { FIELDS } from '../generated/options.ts';
import { addRouteOptions, type OwnWords, routeFields } from '../route-options.ts';

type ExportQuery = Query<'GET /projects/{id}/export'>;

interface ExportFlags {
  readonly bom?: true;
  readonly run?: string;
  readonly query?: string;
  readonly out?: string;
}

const DATASETS = FIELDS['GET /projects/{id}/export'][0].choices;
const OWN = {
  dataset: '[dataset]',
  fields: '--fields',
  q: '--query',
  bom: '--bom',
  run_id: '--run',
} as const satisfies OwnWords<'GET /projects/{id}/export'>;

const isCrawl = (id: string): boolean => /^run_\w+$/.test(id);

export function addExports(program: Command): void {
  const command = program
    .command('export')
    .description('download a dataset of a project or a crawl; --fields names the columns of the file, in their order')
    .argument('<id>', 'project, or crawl (run_…)')
    .addArgument(new Argument('<dataset>', 'dataset').choices(DATASETS))
    .option('--bom', 'CSV: begin with a byte order mark, by which Excel recognizes UTF-8')
    .option('--run <id>', 'run')
    .option('-q, --query <terms>', 'only these pages')
    .option('-o, --out <file>', 'file instead of standard output')
    .addHelpText(
      'before',
      'Examples:\n  tidemark export prj_01j… pages > pages.jsonl\n  tidemark export prj_01j… pages --format xlsx -o pages.xlsx\n  tidemark export prj_01j… pages --fields url,title --format csv --delimiter semicolon\n',
    );
  addRouteOptions(command, 'GET /projects/{id}/export', OWN).action(
    async (id: string, dataset: ExportQuery['dataset'], flags: ExportFlags) => {
      const { client, out, signal } = contextOf(command);
      const { run: run_id, query: q, out: file, bom } = flags;
      const query = {
        ...routeFields(command, 'GET /projects/{id}/export', OWN),
        dataset,
        fields: out.fields.length === 0 ? undefined : out.fields.join(','),
        q,
        bom: bom === true ? ('true' as const) : undefined,
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
    },
  );
}
