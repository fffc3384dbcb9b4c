import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import { isAlive } from './processes.ts';
import { type ProcessPlan, Supervised } from './supervise.ts';

const started: Supervised[] = [];
afterEach(() => Promise.all(started.splice(0).map((process) => process.stop())));

function supervise(plan: Partial<ProcessPlan>, keepAlive = false): { process: Supervised; notes: string[] } {
  const dir = mkdtempSync(join(tmpdir(), 'supervise-'));
  const notes: string[] = [];
  const process = new Supervised(
    {
      name: 'sleeper',
      command: ['sleep', '60'],
      env: { PATH: '/usr/bin:/bin' },
      cwd: dir,
      logFile: join(dir, 'log'),
      readyWithinMs: 20_000,
      stopSignal: 'SIGTERM',
      stopWithinMs: 2_000,
      probe: async () => {},
      ...plan,
    },
    { keepAlive, onChange: () => {}, onUnexpectedEnd: (text) => notes.push(text) },
  );
  started.push(process);
  return { process, notes };
}

describe('a supervised process', () => {
  it('is gone after kill and back, as another process, after restart', async () => {
    const { process } = supervise({});
    await process.start();
    const first = process.pid;
    await process.kill('SIGKILL');
    expect([process.pid, isAlive(first)]).toEqual([0, false]);
    await process.restart();
    expect(process.pid).not.toBe(first);
    expect(isAlive(process.pid)).toBe(true);
  });

  it('that ends before it is ready fails with its last words', async () => {
    const { process } = supervise({
      command: ['sh', '-c', 'echo no such luck; exit 3'],
      probe: () => new Promise(() => {}),
    });
    await expect(process.start()).rejects.toThrow(/exit code 3[\s\S]*no such luck/);
  });

  it('that is not ready in time fails with the reason', async () => {
    const { process } = supervise({ readyWithinMs: 300, probe: () => Promise.reject(new Error('still thinking')) });
    await expect(process.start()).rejects.toThrow('not ready within 0.3 s (still thinking)');
  });

  it('that does not heed its stop signal is ended all the same', async () => {
    const { process } = supervise({
      command: ['sh', '-c', 'trap "" TERM; while :; do sleep 0.1; done'],
      stopWithinMs: 300,
    });
    await process.start();
    const { pid } = process;
    await process.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('comes back by itself where it is kept alive, but not once it was stopped', async () => {
    const { process: kept, notes } = supervise({}, true);
    await kept.start();
    const first = kept.pid;
    process.kill(first, 'SIGKILL');
    await until('it to come back', () => kept.pid !== 0 && kept.pid !== first);
    expect(notes).toEqual(['ended by itself (SIGKILL); starting it again.']);
    await kept.stop();
    // Another that ends later comes back: by then the one that was stopped would have, too.
    const { process: other } = supervise({}, true);
    await other.start();
    const ended = other.pid;
    process.kill(ended, 'SIGKILL');
    await until('it to come back', () => other.pid !== 0 && other.pid !== ended);
    expect(kept.pid).toBe(0);
  });
});
