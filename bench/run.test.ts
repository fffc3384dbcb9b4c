import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CATALOG, type Kind } from './catalog.ts';

const HERE = import.meta.dirname;
const COMMANDS = readFileSync(join(HERE, '../docs/commands.md'), 'utf8');
const FOLDERS: readonly [Kind, string][] = [
  ['bench', 'benches'],
  ['eval', 'evals'],
];

interface Ended {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the entry as the npm scripts do. */
const run = (...args: string[]): Promise<Ended> =>
  new Promise((done) => {
    const flags = ['--conditions=tidemark-source', join(HERE, 'run.ts'), ...args];
    execFile(process.execPath, flags, (error, stdout, stderr) => done({ code: error?.code ?? 0, stdout, stderr }));
  });

describe.each(FOLDERS)('the %s catalog', (kind, folder) => {
  const names = Object.keys(CATALOG[kind]);

  it('names every file of its folder and no other', () => {
    const files = globSync(`${folder}/*.ts`, { cwd: HERE }).map((file) => basename(file, '.ts'));
    expect(names.toSorted()).toEqual(files.toSorted());
  });

  it('is in the table of docs/commands.md, name by name', () => {
    expect(names.filter((name) => !COMMANDS.includes(`\`npm run ${kind} -- ${name}\``))).toEqual([]);
  });

  it('is listed by --help with exit code 0', async () => {
    const { code, stdout } = await run(kind, '--help');
    expect(code).toBe(0);
    expect(names.filter((name) => !stdout.includes(`  ${name} `))).toEqual([]);
  });

  it('is listed with exit code 2 where the name is unknown', async () => {
    const { code, stdout, stderr } = await run(kind, 'nothing');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('unknown name: nothing');
    expect(names.filter((name) => !stderr.includes(`  ${name} `))).toEqual([]);
  });

  it('has a help text for every name', async () => {
    const without = names.filter((name) => CATALOG[kind][name]?.options === undefined);
    const source = (name: string): string => readFileSync(join(HERE, folder, `${name}.ts`), 'utf8');
    expect(without.filter((name) => !source(name).includes(`HELP = \`npm run ${kind} -- ${name}`))).toEqual([]);
    const { code, stdout } = await run(kind, 'extract', '--help');
    expect(code).toBe(0);
    expect(stdout).toContain(`npm run ${kind} -- extract [options]`);
  });
});

it('prints the help of the file itself where the catalog has no options', async () => {
  const { code, stdout } = await run('bench', 'polite', '--help');
  expect(code).toBe(0);
  expect(stdout).toContain('npm run bench -- polite');
});

it('answers a missing name with the list and exit code 2', async () => {
  const { code, stderr } = await run('bench');
  expect(code).toBe(2);
  expect(stderr).toContain('a name is missing');
});
