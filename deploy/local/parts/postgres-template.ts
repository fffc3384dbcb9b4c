import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, migrationsIn } from '../../migrate.ts';
import { choosePorts } from '../ports.ts';
import { runToEnd } from '../programs.ts';
import { Supervised } from '../supervise.ts';
import { postgresPlan } from './postgres.ts';
import { databaseUrlAt, passwordFile } from './postgres-roles.ts';

const PREFIX = 'postgres-template-';

/**
 * Creates the database of an ephemeral stack: a copy of a cluster that was created once with the current migrations.
 * Creation costs ten seconds of CPU, a copy a quarter of a second.
 */
export async function copyTemplate(toolsDir: string, servicesDir: string, dataDir: string): Promise<void> {
  const template = join(toolsDir, `${PREFIX}${fingerprint(servicesDir)}`);
  if (!existsSync(template)) await makeTemplate(toolsDir, servicesDir, template);
  for (const part of [join(template, 'postgres'), passwordFile(template)])
    await runToEnd(['cp', '-a', '--reflink=auto', part, dataDir], { withinMs: 60_000 });
}

async function makeTemplate(toolsDir: string, servicesDir: string, template: string): Promise<void> {
  mkdirSync(toolsDir, { recursive: true });
  for (const name of readdirSync(toolsDir)) {
    if (name.startsWith(PREFIX)) rmSync(join(toolsDir, name), { recursive: true, force: true }); // of earlier migrations
  }
  const work = mkdtempSync(join(toolsDir, '.new-template-'));
  try {
    mkdirSync(join(work, 'tmp'));
    const port = (await choosePorts(join(work, 'ports.json'), ['postgres']))('postgres');
    const plan = await postgresPlan({ dataDir: work, port, ephemeral: true });
    const server = new Supervised(plan, { keepAlive: false, onChange: () => {}, onUnexpectedEnd: () => {} });
    try {
      await server.start();
      await migrate(databaseUrlAt(work, port), { servicesDir, scratchDir: join(work, 'tmp') });
    } finally {
      await server.stop();
    }
    for (const name of readdirSync(work))
      if (name !== 'postgres' && name !== 'postgres.json') rmSync(join(work, name), { recursive: true });
    renameSync(work, template);
  } catch (error) {
    if (!existsSync(template)) throw error; // else another run was quicker
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

// Increase when the content of a template other than the migrations changes.
const LAYOUT = 2;

/** Returns a key that changes with every migration. */
function fingerprint(servicesDir: string): string {
  const hash = createHash('sha256').update(`layout ${LAYOUT}\0`);
  for (const { service, names } of migrationsIn(servicesDir)) {
    for (const name of [...names].sort()) {
      hash
        .update(`${service}/${name}\0`)
        .update(readFileSync(join(servicesDir, service, 'prisma/migrations', name, 'migration.sql')));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
