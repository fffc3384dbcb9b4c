import { z } from 'zod';
import { quoted } from '../validation/sent-value.ts';
import { PageRow } from './page.ts';

/** A top-level field of a page row. */
export type RowField = keyof typeof PageRow.shape;

const FIELDS: readonly string[] = Object.keys(PageRow.shape);
const isField = (name: string): name is RowField => FIELDS.includes(name);

const names = (meaning: string) =>
  z
    .string()
    .max(1_000)
    .transform((text, ctx) => {
      const given = text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '');
      const unknown = given.filter((name) => !isField(name));
      if (unknown.length === 0 && given.length > 0) return [...new Set(given.filter(isField))];
      const what =
        given.length === 0 ? 'no field is given' : `unknown field ${unknown.slice(0, 3).map(quoted).join(', ')}`;
      ctx.issues.push({ code: 'custom', message: `${what}; expected names of ${FIELDS.join(', ')}`, input: text });
      return z.NEVER;
    })
    .optional()
    .describe(meaning);

/** Query parameters that select the fields of the rows of a page list. */
export const rowFields = {
  fields: names('Only these fields of each row, separated by commas, such as url,verdict,title'),
  omit: names('Without these fields of each row, such as head, which is the largest part of a row'),
};

export interface RowFields {
  readonly fields?: readonly RowField[] | undefined;
  readonly omit?: readonly RowField[] | undefined;
}

/** Returns whether rows with this selection contain a field. */
export const hasField = ({ fields, omit }: RowFields, name: RowField): boolean =>
  (fields === undefined || fields.includes(name)) && omit?.includes(name) !== true;

/** Returns the selected fields of a row; the row itself without a selection. */
export const selectFields = (row: PageRow, selection: RowFields): Partial<PageRow> =>
  selection.fields === undefined && selection.omit === undefined
    ? row
    : Object.fromEntries(Object.entries(row).filter(([name]) => isField(name) && hasField(selection, name)));
