import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { choosePorts, isFree, LOOPBACK } from './ports.ts';

const newFile = (): string => join(mkdtempSync(join(tmpdir(), 'ports-')), 'ports.json');

async function whileTaken<Result>(port: number, work: () => Promise<Result>): Promise<Result> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, LOOPBACK, resolve));
  try {
    return await work();
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('choosing ports', () => {
  it('gives every name a free port of its own', async () => {
    const port = await choosePorts(newFile(), ['a', 'b', 'c']);
    const ports = [port('a'), port('b'), port('c')];
    expect(new Set(ports).size).toBe(3);
    expect(await Promise.all(ports.map(isFree))).toEqual([true, true, true]);
  });

  it('remembers the ports of the last start', async () => {
    const file = newFile();
    const first = await choosePorts(file, ['a', 'b']);
    const second = await choosePorts(file, ['b', 'a']);
    expect([second('a'), second('b')]).toEqual([first('a'), first('b')]);
  });

  it('replaces a remembered port that another process has taken', async () => {
    const file = newFile();
    const first = (await choosePorts(file, ['a']))('a');
    const second = await whileTaken(first, () => choosePorts(file, ['a']));
    expect(second('a')).not.toBe(first);
  });

  it('never gives one port to two names, though one is remembered where the row of the others goes', async () => {
    const file = newFile();
    const first = (await choosePorts(file, ['a'], () => 0.5))('a');
    const port = await choosePorts(file, ['a', 'b', 'c'], () => 0.5);
    expect(port('a')).toBe(first);
    expect(new Set([port('a'), port('b'), port('c')]).size).toBe(3);
  });

  it('chooses new ports if the file is damaged', async () => {
    const file = newFile();
    writeFileSync(file, '{"a": "many", "b": 99999');
    expect((await choosePorts(file, ['a']))('a')).toBeGreaterThan(1024);
  });
});
