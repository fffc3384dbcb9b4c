import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { blockOf, collect } from '../../../test/fixtures/site-pages.ts';
import type { ComparedPage } from '../../domain/compared-page.ts';
import { FileSpool } from './comparison-spool.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spool-'));
});
afterAll(() => rm(folder, { recursive: true }));

const page = (pageKey: string): ComparedPage => ({
  pageKey,
  pageStates: { after: { title: 'A page', language: 'en', httpStatus: 200, words: 3 } },
  title: '',
  url: `http://${pageKey}`,
  delta: {
    blocks: [
      {
        op: 'added',
        after: blockOf('so many words').block,
        section: '',
        anchor: 'p',
        words: [['+', 'so many words']],
        wordsAdded: 3,
        wordsRemoved: 0,
        isNumericOnly: false,
      },
    ],
    fields: [],
    wordsAdded: 3,
    wordsRemoved: 0,
    isReordered: false,
    isDegraded: false,
  },
  changedShare: 0.5,
  isContentEdited: true,
  template: 'a.example 1',
  baselineRunId: 'run_1',
  verdicts: ['ok', 'ok'],
});

it.each([
  ['in memory', 1_000_000, false],
  ['in a file', 500, true],
])('FileSpool returns pages spooled %s unchanged, in order and repeatedly', async (where, inMemory, isFile) => {
  const path = join(folder, where);
  await using spool = new FileSpool(path, inMemory);
  const pages = Array.from({ length: 20 }, (_, at) => page(`a.example/${at}`));
  for (const each of pages) await spool.put(each);
  expect(await collect(spool.all())).toEqual(pages);
  expect(await collect(spool.all())).toEqual(pages);
  expect(existsSync(path)).toBe(isFile);
});

it('FileSpool deletes its file on dispose', async () => {
  const path = join(folder, 'gone');
  {
    await using spool = new FileSpool(path, 1);
    await spool.put(page('a.example'));
    expect(existsSync(path)).toBe(true);
  }
  expect(existsSync(path)).toBe(false);
});
