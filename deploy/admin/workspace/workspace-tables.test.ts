import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isLeftOut, LEFT_OUT, WORKSPACE_TABLES } from './workspace-tables.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The tables of the schemas, with their columns. */
const tables = globSync('services/*/prisma/schema.prisma', { cwd: ROOT }).flatMap((file) => {
  const [, schema = ''] = file.split('/');
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^model \w+ \{\n(.*?)^\}/gms)].map(([, body = '']) => ({
    schema,
    table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? '',
    columns: [...body.matchAll(/^ {2}(\w+)\s+\S+(.*)$/gm)].map(
      ([, name = '', rest = '']) => / @map\("(\w+)"\)/.exec(rest)?.[1] ?? name,
    ),
  }));
});
const nameOf = ({ schema, table }: { readonly schema: string; readonly table: string }): string => `${schema}.${table}`;

describe('the tables of an export of a workspace', () => {
  it('are stated for each table of every service: exported, or left out with a reason', () => {
    expect(tables.length).toBeGreaterThan(70);
    const exported = new Set(WORKSPACE_TABLES.map(nameOf));
    expect(tables.filter((one) => !exported.has(nameOf(one)) && !isLeftOut(one.schema, one.table)).map(nameOf)).toEqual(
      [],
    );
    expect(tables.filter((one) => exported.has(nameOf(one)) && isLeftOut(one.schema, one.table)).map(nameOf)).toEqual(
      [],
    );
  });

  it('exist, with the columns that their rules name', () => {
    const wrong = WORKSPACE_TABLES.filter((rule) => {
      const found = tables.find((one) => nameOf(one) === nameOf(rule));
      const named = [rule.belongs.column, rule.numbered, rule.refersToOwn].filter((column) => column !== undefined);
      return found === undefined || named.some((column) => !found.columns.includes(column));
    });
    expect(wrong.map(nameOf)).toEqual([]);
    const names = Object.keys(LEFT_OUT).filter((name) => !name.includes('*'));
    expect(names.filter((name) => !tables.some((one) => nameOf(one) === name))).toEqual([]);
  });

  it('come after the tables that their rows belong to', () => {
    const places = WORKSPACE_TABLES.map(nameOf);
    const early = WORKSPACE_TABLES.filter(
      ({ belongs }, at) => belongs.by === 'parent' && !places.slice(0, at).includes(belongs.parent),
    );
    expect(early.map(nameOf)).toEqual([]);
  });
});
