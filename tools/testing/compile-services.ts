// Loads the modules of all services, which stores them in Node's compile cache (`NODE_COMPILE_CACHE`).
import { globSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const SERVICES = 'services/*/src/service.ts';
const WORKERS = 'services/*/src/**/*-worker.ts';

if (import.meta.main) {
  for (const file of globSync([SERVICES, WORKERS], { cwd: ROOT })) {
    // The module of a worker thread may fail outside of one; the modules that it imports are loaded before.
    await import(join(ROOT, file)).catch(() => undefined);
  }
  flushCompileCache();
  process.exit(0);
}
