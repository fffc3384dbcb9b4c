import { join } from 'node:path';
import { runCommand } from '../run-command.ts';

/** Environment of processes that share the compile cache of the tests. It outlives the run. */
export const compileCacheOf = (root: string) => ({ NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') });

/**
 * Fills the compile cache. Node writes it when a process exits in order, which the workers of jest do at the end and killed services never do: without
 * this, each process of a first run would compile its service again, which takes half of its start.
 */
export async function fillCompileCache(root: string): Promise<void> {
  const flags = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'];
  const script = join(root, 'tools/testing/compile-services.ts');
  await runCommand([process.execPath, ...flags, script], root, compileCacheOf(root));
}
