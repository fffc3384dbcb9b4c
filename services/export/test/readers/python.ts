import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../../../../deploy/local/programs.ts';
import { TOOLS_DIR } from '../../../../deploy/local/stack-context.ts';

const INSTALL_MS = 300_000;

/** Makes a virtual environment of Python with packages of PyPI, under the project. @returns its interpreter */
export async function pythonWith(...packages: readonly string[]): Promise<string> {
  const dir = join(TOOLS_DIR, 'python', packages.join('+'));
  if (existsSync(join(dir, 'ready'))) return join(dir, 'bin/python');
  mkdirSync(join(TOOLS_DIR, 'python'), { recursive: true });
  rmSync(dir, { recursive: true, force: true });
  try {
    await runToEnd(['python3', '-m', 'venv', dir], { withinMs: INSTALL_MS });
    await runToEnd([join(dir, 'bin/pip'), 'install', '-q', ...packages], { withinMs: INSTALL_MS });
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw new Error(`${packages.join(', ')} could not be installed; expected python3 with venv and access to PyPI`, {
      cause: error,
    });
  }
  mkdirSync(join(dir, 'ready'));
  return join(dir, 'bin/python');
}
