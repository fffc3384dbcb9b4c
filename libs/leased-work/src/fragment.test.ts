import { describe, expect, it } from '@jest/globals';
import { identifier, join, param, sql } from './fragment.ts';

describe('a fragment', () => {
  it('has one number for each name, in the order of the text', () => {
    const inner = sql`host = ${param('host')} AND until > ${param('at')}`;
    const outer = sql`WHERE a = ${param('at')} AND (${inner}) LIMIT ${5}`;
    expect(outer.compile()).toEqual({
      text: 'WHERE a = $1 AND (host = $2 AND until > $1) LIMIT 5',
      names: ['at', 'host'],
    });
  });

  it('joins parts', () => {
    expect(join([sql`a = ${param('a')}`, sql`b`], ', ').compile()).toEqual({ text: 'a = $1, b', names: ['a'] });
  });

  it('refuses the name of a column that is none', () => {
    expect(() => identifier('id; DROP TABLE jobs')).toThrow('not the name of a table or column');
  });
});
