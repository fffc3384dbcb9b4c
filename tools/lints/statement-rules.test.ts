import { describe, expect, it } from '@jest/globals';
import { treeOf } from './fixture-tree.ts';
import { rawStatementViolations } from './statement-rules.ts';

const PATH = 'services/a/src/store/x.ts';
const STORES = { files: 'services/a/src/**', because: 'the database of a user' };

describe('A statement that is sent with query', () => {
  it.each([
    "export const a = (pool: Pool) => pool.query('SELECT 1');",
    "export const a = (pool: Pool) => pool.query<Row>({ text: 'SELECT 1', values: [] });",
    'export class A { #pool; run(text: string) { return this.#pool.query(text, []); } }',
  ])('is refused in %s', (text) => {
    expect(rawStatementViolations(treeOf({ [PATH]: text }).modules, [])).toEqual([
      { path: PATH, line: 1, what: 'sends a statement with `query`' },
    ]);
  });

  it.each([
    "export const a = (db: Database) => selectRows(db, tables.selectFrom('items').select('id'));",
    'export const a = (db: Database) => LOCK.rows(db, { id: 1 });',
    'export const a = (url: URL) => url.query;',
    'export interface Database { query(text: string): Promise<void> }',
  ])('is not seen in %s', (text) => {
    expect(rawStatementViolations(treeOf({ [PATH]: text }).modules, [])).toEqual([]);
  });

  it('is accepted in the files of an exception', () => {
    const { modules } = treeOf({ [PATH]: "export const a = (pool: Pool) => pool.query('SELECT 1');" });
    expect(rawStatementViolations(modules, [STORES])).toEqual([]);
  });
});

describe('An exception', () => {
  it('that no file uses is reported', () => {
    const violations = rawStatementViolations([], [STORES]);
    expect(violations).toEqual([expect.objectContaining({ what: expect.stringContaining('sends none') })]);
  });
});
