import type { PageRow } from '@tidemark/sdk';
import { CliError, EXIT } from './exit.ts';

/** The fields of a row that hold a body, with the extension of its files, by format. */
export const BODIES = {
  markdown: ['markdown', 'md'],
  text: ['text', 'txt'],
  cleanHtml: ['cleanHtml', 'html'],
  rawHtml: ['html', 'html'],
  links: ['links', 'json'],
} as const;

const isFormat = (name: string): name is keyof typeof BODIES => Object.hasOwn(BODIES, name);

/** Returns the body of a row in a format, as the text of a file. */
export function bodyOf(row: PageRow, format: string): { readonly text: string; readonly extension: string } {
  if (!isFormat(format)) return { text: '', extension: 'txt' };
  const [field, extension] = BODIES[format];
  const value = row[field];
  return { text: typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2), extension };
}

/** Returns the formats. @throws CliError for an unknown one */
export function requireFormats(formats: readonly string[]): string[] {
  const unknown = formats.find((format) => !isFormat(format));
  if (unknown !== undefined)
    throw new CliError(`unknown format ${unknown}: expected ${Object.keys(BODIES).join(', ')}`, EXIT.usage);
  return [...formats];
}
