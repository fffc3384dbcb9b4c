import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { takeLock } from './lock.ts';
import { startedAt } from './processes.ts';

const newFile = (): string => join(mkdtempSync(join(tmpdir(), 'lock-')), 'lock');

describe('the lock on a data folder', () => {
  it('is refused while its holder lives, naming the holder', () => {
    const file = newFile();
    takeLock(file);
    expect(() => takeLock(file)).toThrow(`process ${process.pid}`);
  });

  it('can be taken again once it was given up', () => {
    const file = newFile();
    takeLock(file)();
    expect(() => takeLock(file)).not.toThrow();
  });

  it('passes over from a holder that was killed', () => {
    const file = newFile();
    writeFileSync(file, '4194999 12345\n'); // beyond the largest pid there is
    expect(() => takeLock(file)).not.toThrow();
  });

  it('passes over where the holder is gone and its pid is another process by now', () => {
    const file = newFile();
    writeFileSync(file, `${process.pid} ${Number(startedAt(process.pid)) - 1}\n`);
    expect(() => takeLock(file)).not.toThrow();
  });

  it('is not given up by one who lost it', () => {
    const file = newFile();
    const unlock = takeLock(file);
    writeFileSync(file, 'someone else\n');
    unlock();
    expect(readFileSync(file, 'utf8')).toBe('someone else\n');
  });
});
