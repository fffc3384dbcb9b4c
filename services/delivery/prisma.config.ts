import { resolve } from 'node:path';
import { defineConfig } from 'prisma/config';

process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= resolve(import.meta.dirname, '../../tools/schema-engine.mjs');

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://tidemark@127.0.0.1:5432/tidemark?schema=delivery' },
});
