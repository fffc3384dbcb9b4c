import { ACTION_ROWS } from './actions.ts';
import { FORMAT_ROWS } from './formats.ts';
import { batchFields, crawlFields, mapFields } from './job-requests.ts';
import { monitorFields } from './monitor-requests.ts';
import { INSTEAD } from './not-available.ts';
import { pageFields, scrapeFields, type Version } from './scrape-options.ts';
import type { Fields } from './translate.ts';

type Row = readonly [name: string, becomes: string];

/** A table of the documentation: names of Firecrawl, and what each of them is in this service. */
export interface MappingTable {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Lists the fields of a request, those of version 2 first. Fields that only version 1 has are marked. */
function rowsOf(fields: (version: Version) => Fields, known: Fields = {}): Row[] {
  const v2 = fields('v2');
  const isNew = ([name]: readonly [string, unknown]): boolean => !Object.hasOwn(known, name);
  const own = Object.entries(v2).filter(isNew);
  const old = Object.entries(fields('v1'))
    .filter(([name]) => !Object.hasOwn(v2, name))
    .filter(isNew);
  return [
    ...own.map(([name, { becomes }]): Row => [name, becomes]),
    ...old.map(([name, { becomes }]): Row => [`${name} (v1)`, becomes]),
  ];
}

/** Returns the tables from the data that translates the requests. */
export const mappingTables = (): MappingTable[] => [
  { title: 'POST /scrape', rows: rowsOf(scrapeFields) },
  { title: 'Formats', rows: FORMAT_ROWS },
  { title: 'Actions', rows: ACTION_ROWS },
  { title: 'POST /crawl', rows: rowsOf(crawlFields) },
  {
    title: 'POST /batch/scrape, in addition to the fields of a scrape',
    rows: rowsOf(batchFields, { ...pageFields('v2'), ...pageFields('v1') }),
  },
  { title: 'POST /map', rows: rowsOf(mapFields) },
  {
    title: 'POST /monitor and PATCH /monitor/{id}, of v2: a monitor is a project, a check is a run',
    rows: rowsOf(monitorFields),
  },
  { title: 'Not available (501)', rows: Object.entries(INSTEAD) },
];
