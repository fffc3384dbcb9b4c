import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fingerprintOf, Sealer } from './sealer.ts';

const newKey = (): string => randomBytes(32).toString('base64');

describe('Sealer', () => {
  it('decrypts what it encrypted, and encrypts a value differently each time', () => {
    const sealer = new Sealer(newKey());
    const [a, b] = [sealer.seal('geheim', 'job_1'), sealer.seal('geheim', 'job_1')];
    expect([sealer.open(a, 'job_1'), sealer.open(b, 'job_1')]).toEqual(['geheim', 'geheim']);
    expect(a.equals(b)).toBe(false);
    expect(a.includes('geheim')).toBe(false);
  });

  it('decrypts a value after key rotation, and not after its key was removed', () => {
    const [old, fresh] = [newKey(), newKey()];
    const sealed = new Sealer(old).seal('geheim', 'job_1');
    expect(new Sealer(`${fresh}, ${old}`).open(sealed, 'job_1')).toBe('geheim');
    expect(() => new Sealer(fresh).open(sealed, 'job_1')).toThrow(`not configured: ${new Sealer(old).fingerprints[0]}`);
  });

  it('identifies the key of a value by its fingerprint', () => {
    const [old, fresh] = [newKey(), newKey()];
    const sealer = new Sealer(`${fresh},${old}`);
    expect(sealer.fingerprints).toHaveLength(2);
    expect(fingerprintOf(sealer.seal('geheim', 'job_1'))).toBe(sealer.fingerprints[0]);
    expect(fingerprintOf(new Sealer(old).seal('geheim', 'job_1'))).toBe(sealer.fingerprints[1]);
    expect(fingerprintOf(Buffer.from('not sealed at all, but long enough for the head of one'))).toBeUndefined();
  });

  it('refuses a value with another context or with a modified bit', () => {
    const sealer = new Sealer(newKey());
    const sealed = sealer.seal('geheim', 'job_1');
    expect(() => sealer.open(sealed, 'job_2')).toThrow();
    for (const at of [0, 3, 8, 20, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => sealer.open(changed, 'job_1')).toThrow();
    }
  });

  it('refuses a key that is not 32 bytes long, with an error that names its position and not its value', () => {
    expect(() => new Sealer(`${newKey()},c2hvcnQ=`)).toThrow('sealing key 2 has 5 bytes');
  });
});
