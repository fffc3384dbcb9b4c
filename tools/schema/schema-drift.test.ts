import { globSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '@tidemark/testkit';
import { schemaDrift } from './schema-drift.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SERVICES = globSync('services/*/prisma/schema.prisma', { cwd: ROOT }).map((path) => dirname(dirname(path)));

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.close());

it.each(SERVICES)('schema.prisma of %s describes what its migrations make', async (service) => {
  expect(await schemaDrift(database.url, resolve(ROOT, service))).toBe('');
});

it('a column that the migrations do not make is reported', async () => {
  await database.sql('ALTER TABLE export.connections DROP COLUMN test_reason');
  expect(await schemaDrift(database.url, resolve(ROOT, 'services/export'))).toContain('ADD COLUMN');
});
