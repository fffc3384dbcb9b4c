import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const CLIENT = join(import.meta.dirname, '../../clients/python');

const OF_SYSTEM = '/usr/bin/python3';

/** The interpreter of the Python client: that of the system, which other installations of Python can hide. */
export const PYTHON = process.env['PYTHON'] ?? (existsSync(OF_SYSTEM) ? OF_SYSTEM : 'python3');
export const PYTHON_CLIENT = CLIENT;

/** Environment in which `import tidemark` finds the client of this repository. */
export const pythonEnv = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  PYTHONPATH: join(CLIENT, 'src'),
  PYTHONDONTWRITEBYTECODE: '1',
  ...more,
});

/** Returns whether there is a Python of 3.11 or later on this machine. */
export function hasPython(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
