import { expect, it } from '@jest/globals';
import type pg from 'pg';
import {
  changeRows,
  listOf,
  literals,
  lockUntilCommit,
  type Params,
  Schema,
  selectRows,
  sql,
  unnest,
} from './index.ts';

interface Tables {
  readonly items: { readonly id: string; readonly state: 'open' | 'done'; readonly size: number };
}

const schema = new Schema<Tables>();

/** Records what would be sent to PostgreSQL, whose protocol the tests of the services use. */
class Recorder {
  sent: { name?: string; text: string; values: unknown[] }[] = [];

  query<Row extends pg.QueryResultRow>(statement: { name?: string; text: string; values: unknown[] }) {
    this.sent.push(statement);
    return Promise.resolve<pg.QueryResult<Row>>({ rows: [], rowCount: 3, command: '', oid: 0, fields: [] });
  }
}

it('a prepared statement sends its values in the order of their places', async () => {
  const statement = schema.prepare('resize', ({ id, size }: Params<{ id: string; size: number }>) =>
    schema.tables.updateTable('items').set({ size }).where('id', '=', id).where('state', '=', 'open'),
  );
  const db = new Recorder();
  expect(await statement.change(db, { id: 'a', size: 2 })).toBe(3);
  expect(db.sent).toEqual([
    {
      name: 'resize',
      text: 'update "items" set "size" = $1 where "id" = $2 and "state" = $3',
      values: [2, 'a', 'open'],
    },
  ]);
});

it('a name of a prepared statement is used once', () => {
  const write = () => schema.tables.selectFrom('items').select('id');
  schema.prepare('twice', write);
  expect(() => schema.prepare('twice', write)).toThrow('two statements have the name twice');
});

it('unnest makes a row of the values at each position of its lists', async () => {
  const { text } = schema.prepare('several', ({ ids }: Params<{ ids: readonly string[] }>) =>
    schema.tables.selectFrom(unnest('x', { id: listOf(ids, 'text') })).select('x.id'),
  );
  expect(text).toBe('select "x"."id" from unnest($1::text[]) as "x"("id")');
});

it('a query sends its values apart from its text', async () => {
  const db = new Recorder();
  await selectRows(db, schema.tables.selectFrom('items').selectAll().where('id', '=', `'; DROP TABLE items`));
  await changeRows(db, sql`DELETE FROM items WHERE id = ${'b'}`);
  expect(db.sent).toEqual([
    { text: 'select * from "items" where "id" = $1', values: [`'; DROP TABLE items`] },
    { text: 'DELETE FROM items WHERE id = $1', values: ['b'] },
  ]);
});

it('locks its keys in the order of the list, shared or exclusively', async () => {
  const db = new Recorder();
  await lockUntilCommit(db, ['a', 'b'], 'shared');
  await lockUntilCommit(db, ['c']);
  expect(db.sent.map(({ text, values }) => [text.includes('_lock_shared('), values])).toEqual([
    [true, [['a', 'b']]],
    [false, [['c']]],
  ]);
});

it('literals are part of the text, quoted', async () => {
  const { text } = schema.prepareText(
    'of-states',
    {},
    () => sql`SELECT FROM items WHERE state IN (${literals(['open', "d'one", 2])})`,
  );
  expect(text).toBe(`SELECT FROM items WHERE state IN ('open', 'd''one', 2)`);
});

it('a prepared statement states whether it changed a row', async () => {
  const statement = schema.prepare('delete-items', () => schema.tables.deleteFrom('items'));
  expect(await statement.changesRow(new Recorder(), {})).toBe(true);
});
