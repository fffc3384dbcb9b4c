import { plural } from '../../language/plural.ts';

/** Numbers with their nouns. */
export const counts = {
  addresses: (value: number) => plural(value, { one: 'address', other: 'addresses' }),
  blocks: (value: number) => plural(value, { one: 'block', other: 'blocks' }),
  cells: (value: number) => plural(value, { one: 'cell', other: 'cells' }),
  changedPages: (value: number) => plural(value, { one: 'changed page', other: 'changed pages' }),
  changes: (value: number) => plural(value, { one: 'change', other: 'changes' }),
  codes: (value: number) => plural(value, { one: 'code', other: 'codes' }),
  comparisons: (value: number) => plural(value, { one: 'comparison', other: 'comparisons' }),
  cookies: (value: number) => plural(value, { one: 'cookie', other: 'cookies' }),
  credits: (value: number) => plural(value, { one: 'credit', other: 'credits' }),
  differences: (value: number) => plural(value, { one: 'difference', other: 'differences' }),
  entries: (value: number) => plural(value, { one: 'entry', other: 'entries' }),
  files: (value: number) => plural(value, { one: 'file', other: 'files' }),
  jobs: (value: number) => plural(value, { one: 'job', other: 'jobs' }),
  matches: (value: number) => plural(value, { one: 'match', other: 'matches' }),
  pages: (value: number) => plural(value, { one: 'page', other: 'pages' }),
  projects: (value: number) => plural(value, { one: 'project', other: 'projects' }),
  rows: (value: number) => plural(value, { one: 'row', other: 'rows' }),
  runs: (value: number) => plural(value, { one: 'run', other: 'runs' }),
  settings: (value: number) => plural(value, { one: 'setting', other: 'settings' }),
  sitemaps: (value: number) => plural(value, { one: 'sitemap', other: 'sitemaps' }),
  syncs: (value: number) => plural(value, { one: 'sync', other: 'syncs' }),
  urls: (value: number) => plural(value, { one: 'URL', other: 'URLs' }),
  words: (value: number) => plural(value, { one: 'word', other: 'words' }),
} as const;
