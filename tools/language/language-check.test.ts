import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { languageCheck, readExceptions, violationsOf } from './language-check.ts';

const words = (path: string, text: string) => violationsOf(path, text).map(({ line, word }) => `${line} ${word}`);

describe('violationsOf', () => {
  it.each([
    ['a class name', 'services/a/src/x.ts', 'export class RunDesk {}', ['1 desk']],
    ['a local name in camel case', 'services/a/src/x.ts', 'const whatWasTold = 1;', ['1 told']],
    ['a line comment', 'services/a/src/x.ts', 'const a = 1;\n// Nobody waits.', ['2 nobody']],
    [
      'each line of a docstring',
      'libs/a/src/x.ts',
      '/**\n * Asks the site.\n * Tells the run.\n */',
      ['2 asks', '3 tells'],
    ],
    ['a log message', 'services/a/src/x.ts', "log.warn({ id }, 'the run could not be told');", ['1 told']],
    [
      'an error text in a template literal',
      'services/a/src/x.ts',
      'throw new Error(`${id} was forgotten`);',
      ['1 forgotten'],
    ],
    ['a word in a regular expression', 'services/a/src/x.ts', 'const pattern = /tell us/;', ['1 tell']],
    ['a test title', 'services/a/test/x.test.ts', "it('tells the owner', () => {});", ['1 tells']],
    ['a title after a table', 'services/a/test/x.test.ts', "it.each([1])('%s is asked for', () => {});", ['1 asked']],
    ['a field of a message', 'proto/tidemark/a/v1/a.proto', 'string wish = 1;', ['1 wish']],
    ['a column', 'services/a/prisma/migrations/1_init/migration.sql', 'told_at timestamptz', ['1 told']],
    ['a document', 'README.md', 'The service hears events.', ['1 hears']],
    ['a file name', 'services/a/src/run-desk.ts', '', ['1 desk']],
    ['a process called who', 'services/a/src/x.ts', '// The instance is known to who sends.', ['1 who']],
  ])('finds a banned word in %s', (_, path, text, expected) => {
    expect(words(path, text)).toEqual(expected);
  });

  it.each([
    ['a string of a test, which may be the text of a page', 'services/a/test/x.test.ts', "const page = 'Tell nobody';"],
    ['a string of one word, which may be a value on the wire', 'services/a/src/x.ts', "const kind = 'lane';"],
    ['a code block of a document', 'README.md', '```\nask\n```\nand `ask`'],
    ['a person', 'services/a/src/x.ts', '// The user who created it.'],
    ['a longer word', 'services/a/src/x.ts', '// A lookup of task mask basket.'],
  ])('accepts %s', (_, path, text) => {
    expect(words(path, text)).toEqual([]);
  });
});

describe('languageCheck', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidemark-language-'));
  afterAll(() => rmSync(dir, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  write('services/a/src/x.ts', '// Nobody is told.\n');

  it('prints file, line, word and replacement of each violation', async () => {
    write('tools/language/exceptions.txt', '');
    const { problems } = await languageCheck(dir).run();
    expect(problems).toEqual([
      expect.stringMatching(/^services\/a\/src\/x\.ts:1 "nobody": use no client/),
      expect.stringMatching(/^services\/a\/src\/x\.ts:1 "told": use send, publish/),
    ]);
  });

  it('accepts a listed exception and reports one that matches nothing', async () => {
    write(
      'tools/language/exceptions.txt',
      'services/a/** | nobody | quoted text\nservices/b/** | told | quoted text\n',
    );
    const { problems } = await languageCheck(dir).run();
    expect(problems).toEqual([
      expect.stringContaining('services/a/src/x.ts:1 "told"'),
      'tools/language/exceptions.txt: "services/b/** | told" matches nothing: delete it',
    ]);
  });

  it('rejects an exception without a reason', () => {
    expect(() => readExceptions('services/a/** | told')).toThrow('expected "path glob | word | reason"');
  });
});
