import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { upgrade } from '../../deploy/admin/upgrade/upgrade.ts';
import { asObject, readJson } from '../../deploy/local/json-file.ts';
import { isFree } from '../../deploy/local/ports.ts';
import { endProcesses } from '../../deploy/local/processes.ts';
import { runningProcesses } from '../../deploy/local/run-file.ts';
import { ROOT } from '../../deploy/local/stack-context.ts';
import { apiOf } from '../harness/api.ts';
import { until } from '../harness/until.ts';
import { previousRelease, unpackRelease } from './previous-release.ts';

const run = promisify(execFile);
const release = await previousRelease();
const scratch = mkdtempSync(join(tmpdir(), 'tidemark-upgrade-'));
const lines: string[] = [];
const say = (line: string): void => {
  lines.push(line);
  console.info(line);
};

needs('previous-release', release !== undefined, () =>
  describe('the upgrade of one machine', () => {
    let old = '';
    let dataDir = '';
    let port = 18_787;
    let jobId = '';

    beforeAll(async () => {
      old = await unpackRelease(release ?? '');
      dataDir = join(old, '.tidemark');
      while (!(await isFree(port))) port += 1;
      for (const name of ['postgres', 'nats', 'blobs', 'before-upgrade'])
        rmSync(join(dataDir, name), { recursive: true, force: true });
      for (const name of ['postgres.json', 'credentials.json', 'ports.json'])
        rmSync(join(dataDir, name), { force: true });
      await startOld();
      const { key, url } = readJson(join(dataDir, 'credentials.json'));
      const api = apiOf(String(url), String(key));
      const [project] = asObject((await api.get('/projects')).body)['data'] as { seed: string }[];
      jobId = (await api.scrape({ url: project?.seed ?? '', formats: 'markdown' })).job.id;
    }, 900_000);
    afterAll(async () => {
      await endProcesses(
        runningProcesses(join(dataDir, 'run.json')).map(({ pid }) => pid),
        'SIGTERM',
        20_000,
      );
      rmSync(scratch, { recursive: true, force: true });
    }, 60_000);

    /** Starts the old release as a user does, and waits for its first project. */
    async function startOld(): Promise<void> {
      const log = join(scratch, 'start.log');
      await run('sh', ['-c', `setsid npm start -- --port ${port} > '${log}' 2>&1 &`], { cwd: old });
      await until(
        'the old release to have its sample project',
        async () => {
          const { key } = readJson(join(dataDir, 'credentials.json'));
          const { body, status } = await apiOf(`http://127.0.0.1:${port}`, String(key)).get('/projects');
          if (status !== 200)
            throw new Error(`${status} ${existsSync(log) ? readFileSync(log, 'utf8').slice(-500) : ''}`);
          return (asObject(body)['data'] as unknown[]).length > 0;
        },
        { withinMs: 240_000 },
      );
    }

    const respond = async () => {
      const { key } = readJson(join(dataDir, 'credentials.json'));
      return apiOf(`http://127.0.0.1:${port}`, String(key)).get(`/scrape/${jobId}`);
    };

    it('goes back to the old version with its data if the new one does not start', async () => {
      const before = await respond();
      const broken = join(scratch, 'broken');
      mkdirSync(broken);
      cpSync(join(ROOT, 'package.json'), join(broken, 'package.json'));
      const scripts = {
        name: 'tidemark',
        version: asObject(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')))['version'],
      };
      writeFileSync(join(broken, 'package.json'), JSON.stringify({ ...scripts, scripts: { start: 'exit 7' } }));
      await expect(upgrade({ from: old, to: broken, dataDir, port, say, startWithinMs: 120_000 })).rejects.toThrow(
        'was undone',
      );
      const after = await respond();
      expect(after.status).toBe(200);
      expect(asObject(after.body)['data']).toEqual(asObject(before.body)['data']);
      appendFileSync(join(scratch, 'kept'), 'undone\n');
    }, 400_000);

    it('moves an installation with its data to the new version with one command', async () => {
      const before = await respond();
      const startedAt = performance.now();
      await upgrade({ from: old, to: ROOT, dataDir, port, say });
      say(`upgraded in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      const after = await respond();
      expect(after.status).toBe(200);
      expect(asObject(after.body)['data']).toEqual(asObject(before.body)['data']);
      expect(existsSync(join(dataDir, 'before-upgrade/postgres/PG_VERSION'))).toBe(true);
    }, 400_000);

    it('is refused from a folder that is no release, or to one that skips a minor version', async () => {
      await expect(upgrade({ from: scratch, to: ROOT, dataDir, port, say })).rejects.toThrow('contains no release');
      const later = join(scratch, 'later');
      mkdirSync(later);
      writeFileSync(join(later, 'package.json'), '{"name": "tidemark", "version": "1.9.0"}');
      await expect(upgrade({ from: old, to: later, dataDir, port, say })).rejects.toThrow('not skipped');
    });
  }),
);
