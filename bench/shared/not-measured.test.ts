import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const MODULE = join(import.meta.dirname, 'not-measured.ts');

/** Runs statements in a process of their own. */
const run = (statements: string): Promise<{ code: unknown; lines: string[] }> =>
  new Promise((done) => {
    const script = `import { notMeasured } from ${JSON.stringify(MODULE)};\n${statements}`;
    execFile(process.execPath, ['--input-type=module', '--eval', script], (error, stdout) =>
      done({ code: error?.code ?? 0, lines: stdout.trimEnd().split('\n') }),
    );
  });

describe('a benchmark', () => {
  it('ends with exit code 1 and a last line that names each part that was not measured', async () => {
    const { code, lines } = await run(
      `notMeasured('Crawlee', 'it is not installed'); notMeasured('memory', 'no site'); console.log('a table');`,
    );
    expect(code).toBe(1);
    expect(lines).toEqual([
      'Crawlee: not measured, it is not installed',
      'memory: not measured, no site',
      'a table',
      'NOT MEASURED: Crawlee, memory',
    ]);
  });

  it('ends with exit code 1 after a part that was not measured although it calls process.exit(0)', async () => {
    expect(await run(`notMeasured('memory', 'no site'); process.exit(0);`)).toMatchObject({ code: 1 });
  });

  it('keeps its own exit code', async () => {
    expect(await run(`process.exitCode = 3; notMeasured('memory', 'no site');`)).toMatchObject({ code: 3 });
    expect(await run(`console.log('a table');`)).toEqual({ code: 0, lines: ['a table'] });
  });
});
