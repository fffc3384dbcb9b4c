import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { sharedFleet } from '../harness/fleet.ts';
import { hasPython, PYTHON, PYTHON_CLIENT, pythonEnv } from '../harness/python.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const fleet = sharedFleet();
let site: HarbourSite;
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  site = await startHarbour('127.0.0.5');
  const { admin } = await fleet.workspaces.make();
  env = pythonEnv({ TIDEMARK_API_KEY: admin.key, TIDEMARK_BASE_URL: `${fleet.url}/v1` });
});
afterAll(async () => {
  site.close();
  await fleet.close();
});

needs('python-3.11', hasPython(), () =>
  describe('the Python client', () => {
    test('scrapes, maps, crawls, continues and keeps a crawl, and raises typed errors', async () => {
      const script = join(PYTHON_CLIENT, 'tests/against_fleet.py');
      const { stderr } = await run(PYTHON, [script, site.origin], { env, timeout: 120_000 });
      expect(stderr).toMatch(/Ran 6 tests in [\d.]+s\n\nOK/);
    });

    test('is used by examples/python.py, which runs to its end', async () => {
      const example = join(ROOT, 'examples/python.py');
      const { stdout } = await run(PYTHON, [example, `${site.origin}/`], { env, timeout: 60_000 });
      expect(stdout).toContain('the crawl ended as done (finished)');
      expect(stdout).toMatch(/^kept as prj_/m);
    });
  }),
);
