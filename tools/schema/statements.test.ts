import { existsSync, globSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { column, nullable, Schema, sql, stateOf } from '@tidemark/sql';
import { createDatabase, type TestDatabase } from '@tidemark/testkit';
import pg from 'pg';
import { type Catalog, readCatalog, statementFaults } from './statement-faults.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SERVICES = globSync('services/*', { cwd: ROOT })
  .map((path) => basename(path))
  .filter((name) => existsSync(resolve(ROOT, `services/${name}/src/store/tables.ts`)));

/** Libraries with statements on tables that a service has in its own schema. */
const LIBRARIES = [
  ['service', 'delivery'],
  ['jobs', 'scrape'],
  ['blobs', 'archive'],
] as const;

let database: TestDatabase;
let client: pg.Client;
let catalog: Catalog;
beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  catalog = await readCatalog(client);
});
afterAll(async () => {
  await client.end();
  await database.close();
});

async function faultsOf({ prepared }: Schema<unknown>): Promise<string[]> {
  const faults: string[] = [];
  for (const statement of prepared) faults.push(...(await statementFaults(client, catalog, statement)));
  return faults;
}

describe('A prepared statement', () => {
  it.each(SERVICES)('of %s is accepted by PostgreSQL and returns the columns that it declares', async (service) => {
    await client.query(`SET search_path = "${service}"`);
    await import(resolve(ROOT, `services/${service}/src/service.ts`));
    const { schema } = await import(resolve(ROOT, `services/${service}/src/store/tables.ts`));
    expect(await faultsOf(schema)).toEqual([]);
  });

  it.each(LIBRARIES)('of libs/%s is accepted in the schema of %s', async (library, service) => {
    await client.query(`SET search_path = "${service}"`);
    await import(resolve(ROOT, `libs/${library}/src/index.ts`));
    const { schema } = await import(resolve(ROOT, `libs/${library}/src/tables.ts`));
    expect(schema.prepared.length).toBeGreaterThan(0);
    expect(await faultsOf(schema)).toEqual([]);
  });

  it.each([
    ['names a column that does not exist', sql`SELECT nothing FROM accounts`, 'does not exist'],
    ['returns another type than declared', sql`SELECT 1::int8 AS id`, 'id is int8, declared as text'],
    ['returns a column that may be null as one that never is', sql`SELECT payer_id AS id FROM accounts`, 'may be null'],
    ['does not return a declared column', sql`SELECT 'x'::text AS name`, 'declared and not returned'],
    ['returns a column that is not declared', sql`SELECT 'x'::text AS id, 2 AS more`, 'more is not declared'],
  ])('that %s is reported', async (_, text, fault) => {
    await client.query('SET search_path = billing');
    const statement = new Schema().prepareText('faulty', { id: column('text') }, () => text);
    expect((await statementFaults(client, catalog, statement)).join('\n')).toContain(fault);
  });

  it('that returns what it declares is accepted', async () => {
    await client.query('SET search_path = billing');
    const columns = { id: stateOf<'a'>(), payer: nullable('text'), at: column('timestamptz'), names: column('text[]') };
    const statement = new Schema().prepareText(
      'right',
      columns,
      () => sql`SELECT workspace_id AS id, payer_id AS payer, now() AS at, ARRAY['x'] AS names FROM accounts`,
    );
    expect(await statementFaults(client, catalog, statement)).toEqual([]);
  });
});
