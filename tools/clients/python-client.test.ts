import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { hasPython, PYTHON, PYTHON_CLIENT, pythonEnv } from '../../test/harness/python.ts';
import { currentVersion } from '../release/version-files.ts';

const run = promisify(execFile);
const VERSION = currentVersion(join(import.meta.dirname, '../..'));

needs('python-3.11', hasPython(), () =>
  describe('the Python client', () => {
    it('passes its own tests', async () => {
      const args = ['-W', 'error::SyntaxWarning', '-m', 'unittest', 'discover', '-s', join(PYTHON_CLIENT, 'tests')];
      const { stderr } = await run(PYTHON, args, { env: pythonEnv() });
      expect(stderr).toMatch(/Ran \d+ tests in [\d.]+s\n\nOK/);
    });

    it('is built as a wheel without network and other packages, which can be imported', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tm-wheel-'));
      try {
        const build =
          'import sys, build_backend; print(build_backend.build_wheel(sys.argv[1]), build_backend.build_sdist(sys.argv[1]))';
        const isolated = { cwd: PYTHON_CLIENT, env: pythonEnv({ PYTHONPATH: PYTHON_CLIENT }) };
        const { stdout } = await run(PYTHON, ['-S', '-c', build, folder], isolated);
        const wheel = `tidemark-${VERSION}-py3-none-any.whl`;
        expect(stdout).toBe(`${wheel} tidemark-${VERSION}.tar.gz\n`);
        const use =
          'import tidemark, importlib.metadata as m; print(tidemark.Tidemark("k").api.get_me.__name__, m.version("tidemark"), m.requires("tidemark"))';
        const env = pythonEnv({ PYTHONPATH: join(folder, wheel) });
        const imported = await run(PYTHON, ['-S', '-c', use], { cwd: folder, env });
        expect(imported.stdout).toBe(`get_me ${VERSION} None\n`);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it('imports only modules of the standard library', async () => {
      const list =
        'import sys, pathlib, ast\nfor p in pathlib.Path(sys.argv[1]).rglob("*.py"):\n  for n in ast.walk(ast.parse(p.read_text())):\n    names = [a.name for a in n.names] if isinstance(n, ast.Import) else [n.module] if isinstance(n, ast.ImportFrom) and n.level == 0 else []\n    print(*[x for x in names if x.split(".")[0] not in sys.stdlib_module_names], sep="", end="")';
      const { stdout } = await run(PYTHON, ['-c', list, join(PYTHON_CLIENT, 'src')]);
      expect(stdout).toBe('');
    });

    it('has the version of its package metadata', () => {
      const [, version] = /^version = "(.*)"$/m.exec(readFileSync(join(PYTHON_CLIENT, 'pyproject.toml'), 'utf8')) ?? [];
      expect(readFileSync(join(PYTHON_CLIENT, 'src/tidemark/__init__.py'), 'utf8')).toContain(
        `__version__ = "${version}"`,
      );
    });
  }),
);
