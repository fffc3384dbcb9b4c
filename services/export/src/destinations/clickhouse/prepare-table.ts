import type { DatasetColumn as Column } from '@tidemark/datasets';
import { DestinationError, type SyncPlan } from '../driver.ts';
import { requireEvolving } from '../require-evolving.ts';
import { type ClickhouseClient, literal } from './clickhouse-client.ts';
import { createTable, fits, listed, OWN_COLUMNS, typeOf } from './sql.ts';

/** Creates the table or adds the columns it lacks. A column of another type is left out with a warning; nothing is dropped or retyped. */
export async function prepareTable(
  client: ClickhouseClient,
  { table, columns, freeze }: SyncPlan,
  signal: AbortSignal,
): Promise<{ columns: Column[]; existing: string[]; warnings: string[] }> {
  const target = client.table(table);
  await client.run(createTable(target, columns), signal);
  const rows = await client.query(
    `SELECT name, type FROM system.columns WHERE database = ${literal(client.database)} AND table = ${literal(table)} AND default_kind IN ('', 'DEFAULT')`,
    signal,
  );
  const types = new Map(rows.map((row) => [String(row['name']), String(row['type'])]));
  const warnings: string[] = [];
  const usable: Column[] = [];
  for (const each of [...OWN_COLUMNS, ...columns]) {
    const type = types.get(each.name);
    const isMeta = each.name.startsWith('_');
    if (type === undefined && isMeta)
      throw new DestinationError(
        'invalid',
        `the table ${table} exists and has no column ${each.name}. Choose another table`,
      );
    if (type === undefined) {
      requireEvolving(freeze, each.name, table);
      await client.run(`ALTER TABLE ${target} ADD COLUMN ${listed([each.name])} ${typeOf(each)}`, signal);
      types.set(each.name, typeOf(each));
    } else if (!fits(each, type)) {
      const fault = `the column ${each.name} of the table has the type ${type}; expected ${typeOf(each)}`;
      if (isMeta || freeze)
        throw new DestinationError('invalid', `${fault}. Change the column or choose another table`);
      warnings.push(`${fault}: it was left out`);
      continue;
    }
    if (!isMeta) usable.push(each);
  }
  return { columns: usable, existing: [...types.keys()], warnings };
}
