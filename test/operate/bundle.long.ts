import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { ROOT, TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { buildImages } from '../../tools/images/build-images.ts';
import { canRunImages, runImage } from '../../tools/images/run-image.ts';
import { until } from '../harness/until.ts';

const run = promisify(execFile);
const scratch = mkdtempSync(join(tmpdir(), 'tidemark-bundle-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

needs('mount', canRunImages(), () =>
  describe('the offline bundle', () => {
    it('starts all of Tidemark without a network, and captures a page of the bundled site', async () => {
      const file = join(scratch, 'tidemark.tar.gz');
      const args = ['--conditions=tidemark-source', join(ROOT, 'tools/images.ts'), '--bundle', file];
      await run(process.execPath, args, { cwd: ROOT, timeout: 600_000, maxBuffer: 16 * 1024 * 1024 });
      console.info(`${(statSync(file).size / 1_000_000).toFixed(0)} MB`);
      await run('tar', ['-xf', file, '-C', scratch], { timeout: 300_000 });
      const log = join(scratch, 'log');
      const out = openSync(log, 'a');
      // A network namespace of its own: nothing but the loopback.
      const script = `ip link set lo up && exec '${join(scratch, 'tidemark/tidemark')}' --port 18900`;
      const child = spawn('unshare', ['--net', 'sh', '-c', script], {
        stdio: ['ignore', out, out],
        env: { PATH: process.env['PATH'], HOME: scratch, NATS_URL: '', REDIS_URL: '', DATABASE_URL: '' },
      });
      let ended: number | null | undefined;
      child.once('exit', (code) => (ended = code));
      try {
        const startedAt = performance.now();
        await until(
          'the start',
          () => {
            const text = readFileSync(log, 'utf8');
            if (ended !== undefined) throw new Error(`ended with ${ended}: ${text.slice(-2_000)}`);
            return /Started in/.test(text);
          },
          { withinMs: 240_000 },
        );
        console.info(
          `started in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n${readFileSync(log, 'utf8').slice(0, 1_500)}`,
        );
        expect(readFileSync(log, 'utf8')).not.toMatch(/fetching|registry/);
      } finally {
        child.kill('SIGTERM');
        await until('the end', () => ended !== undefined, { withinMs: 60_000 });
      }
    }, 900_000);
  }),
);

needs('mount', canRunImages(), () =>
  describe('the all-in-one image', () => {
    it('starts as user 1000 with a read-only root and a volume for its data, without a network', async () => {
      const layout = join(scratch, 'layout');
      const [image] = await buildImages({ names: ['all-in-one'], layout, say: (line) => console.info(line) });
      if (image === undefined) throw new Error('no image was built');
      const dir = mkdtempSync(join(TOOLS_DIR, 'images/.run-'));
      const data = join(dir, 'data');
      await run('install', ['-d', '-o', '1000', '-g', '1000', data]);
      const running = await runImage({
        image,
        layout,
        dir,
        env: {},
        memory: 3 * 2 ** 30,
        mounts: { '/data': data },
        isOffline: true,
      });
      try {
        await until(
          'the start',
          () => {
            if (running.exitCode() !== undefined) throw new Error(`ended: ${running.log().slice(-2_000)}`);
            return /Started in/.test(running.log());
          },
          { withinMs: 240_000 },
        );
        console.info(`${running.how}\n${running.log().slice(0, 1_500)}`);
      } finally {
        await running.stop();
        rmSync(dir, { recursive: true, force: true });
      }
    }, 900_000);
  }),
);
