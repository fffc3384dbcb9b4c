import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const ENGINE = join(import.meta.dirname, '../schema-engine.mjs');

/**
 * Compares a migrated database with a service's `schema.prisma`, by the schema engine that `prisma migrate diff` uses.
 * @returns the statements that would bring the database to the schema; empty where they agree
 */
export async function schemaDrift(databaseUrl: string, serviceDir: string): Promise<string> {
  const url = new URL(databaseUrl);
  url.searchParams.set('schema', basename(serviceDir));
  const path = join(serviceDir, 'prisma/schema.prisma');
  const child = spawn(process.execPath, [ENGINE, '--datasource', JSON.stringify({ url: url.href }), '-d', path], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const complaints: string[] = [];
  child.stderr.on('data', (chunk) => complaints.push(String(chunk)));
  const params = {
    from: { tag: 'schemaDatasource', files: [{ path, content: readFileSync(path, 'utf8') }], configDir: serviceDir },
    to: { tag: 'schemaDatamodel', files: [{ path, content: readFileSync(path, 'utf8') }] },

    script: true,
    exitCode: null,
    shadowDatabaseUrl: null,
    filters: { externalTables: [], externalEnums: [] },
  };
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'diff', params })}\n`);
  let script: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const { method, params: printed, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(`${path}: ${error.data?.message ?? error.message}`);
    if (method === 'print') script = printed.content;
  }
  if (script === undefined) throw new Error(`${path}: the schema engine returned no result: ${complaints.join('')}`);
  return script.replace(/^-- This is an empty migration\.\s*$/, '').trim();
}
