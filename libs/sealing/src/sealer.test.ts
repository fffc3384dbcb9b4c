import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Sealer } from './sealer.ts';

const newKey = (): string => randomBytes(32).toString('base64');

describe('a sealed value', () => {
  it('opens to what was sealed, and is never the same twice', () => {
    const sealer = new Sealer(newKey());
    const [a, b] = [sealer.seal('geheim', 'job_1'), sealer.seal('geheim', 'job_1')];
    expect([sealer.open(a, 'job_1'), sealer.open(b, 'job_1')]).toEqual(['geheim', 'geheim']);
    expect(a.equals(b)).toBe(false);
    expect(a.includes('geheim')).toBe(false);
  });

  it('still opens after its key was rotated, and not once the key is gone', () => {
    const [old, fresh] = [newKey(), newKey()];
    const sealed = new Sealer(old).seal('geheim', 'job_1');
    expect(new Sealer(`${fresh}, ${old}`).open(sealed, 'job_1')).toBe('geheim');
    expect(() => new Sealer(fresh).open(sealed, 'job_1')).toThrow('a key that is not here');
  });

  it('opens nowhere but where it belongs, and not once a bit of it was changed', () => {
    const sealer = new Sealer(newKey());
    const sealed = sealer.seal('geheim', 'job_1');
    expect(() => sealer.open(sealed, 'job_2')).toThrow();
    for (const at of [0, 3, 8, 20, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => sealer.open(changed, 'job_1')).toThrow();
    }
  });

  it('needs a key of 32 bytes, and says which is wrong without telling it', () => {
    expect(() => new Sealer(`${newKey()},c2hvcnQ=`)).toThrow('sealing key 2 has 5 bytes');
  });
});
