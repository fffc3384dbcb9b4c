import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '../src/version.ts';

const PACKAGE = join(import.meta.dirname, '..');
const run = promisify(execFile);
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tm-cli-package-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the package of the command line', () => {
  it('is packed with npm and installed without network and other packages', async () => {
    await run('npm', ['pack', PACKAGE, '--pack-destination', folder]);
    const archive = `./tidemark-cli-${VERSION}.tgz`;
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: folder });
    const { stdout } = await run(join(folder, 'node_modules/.bin/tidemark'), ['--version']);
    expect(stdout).toBe(`${VERSION}\n`);
  });
});
