import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { routes } from '@tidemark/api';
import { generatedFiles } from './generated-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const files = Object.entries(generatedFiles());

it.each(files)('%s is up to date with the REST contract (otherwise run sh deploy/bootstrap.sh)', (path, text) => {
  expect(readFileSync(join(ROOT, path), 'utf8') === text).toBe(true);
});

it.each(files.filter(([path]) => /contract\.ts$|api\.py$/.test(path)))('%s has every route', (_, text) => {
  const missing = Object.values(routes).filter(
    ({ method, path }) => !text.includes(`"${method.toUpperCase()} ${path}"`),
  );
  expect(missing.map(({ id }) => id)).toEqual([]);
});
