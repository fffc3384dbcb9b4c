import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { StackContext } from './stack-context.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-context-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe('the data folder of a stack', () => {
  it('can be entered by its owner only, also if an earlier version left it open', async () => {
    mkdirSync(join(dataDir, 'blobs'));
    for (const dir of ['.', 'blobs']) chmodSync(join(dataDir, dir), 0o755);
    await StackContext.open({ dataDir });
    const modes = ['.', 'tmp', 'logs', 'blobs'].map((dir) => statSync(join(dataDir, dir)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o700]);
  });
});
