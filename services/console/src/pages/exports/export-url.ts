import { fillPath } from '@tidemark/sdk';
/** What a file has. */
export interface FileOptions {
  readonly dataset: string;
  readonly format: string;
  /** None: all. */
  readonly fields: readonly string[];
  readonly q: string;
  readonly compression: 'none' | 'gzip' | 'zstd';
  readonly delimiter: 'comma' | 'semicolon' | 'tab';
  readonly bom: boolean;
  readonly guard: boolean;
  readonly run: string | undefined;
}

/** A whole file. */
export const PLAIN: Omit<FileOptions, 'dataset' | 'format'> = {
  fields: [],
  q: '',
  compression: 'none',
  delimiter: 'comma',
  bom: false,
  guard: true,
  run: undefined,
};

/** Returns the URL of a file. Options that do not apply to the format are left out. */
export function exportUrl(project: string, options: FileOptions): string {
  const { dataset, format, fields, q, compression, delimiter, bom, guard, run } = options;
  const isCsv = format === 'csv';
  const query = new URLSearchParams({
    dataset,
    format,
    ...(fields.length === 0 ? {} : { fields: fields.join(',') }),
    ...(q.trim() === '' ? {} : { q: q.trim() }),
    ...(compression === 'none' ? {} : { compression }),
    ...(isCsv && delimiter !== 'comma' ? { delimiter } : {}),
    ...(isCsv && bom ? { bom: 'true' } : {}),
    ...(isCsv && !guard ? { guard: 'off' } : {}),
    ...(run === undefined ? {} : { run_id: run }),
  });
  return `${fillPath('/v1/projects/{project}/export', { project })}?${query}`;
}
