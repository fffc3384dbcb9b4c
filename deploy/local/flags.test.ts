import { describe, expect, it } from '@jest/globals';
import { parseFlags } from './flags.ts';

describe('the flags of npm start', () => {
  it('are all optional', () => {
    expect(parseFlags([])).toEqual({ port: 8787, processPerService: false, billingDemo: false, help: false });
  });

  it('choose the port and a process for every service', () => {
    expect(parseFlags(['--port', '9000', '--process-per-service'])).toMatchObject({
      port: 9000,
      processPerService: true,
    });
  });

  it.each(['0', '65536', '80a', '-1', '1e3'])('refuse %s as a port and say what was expected', (port) => {
    expect(() => parseFlags([`--port=${port}`])).toThrow('expected a number from 1 to 65535');
  });

  it('reject an unknown flag and print the usage', () => {
    expect(() => parseFlags(['--prot', '9000'])).toThrow('npm start -- --help');
  });
});
