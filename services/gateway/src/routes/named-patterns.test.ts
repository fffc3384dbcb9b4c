import { expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { namingPatterns } from './named-patterns.ts';

const refused = () =>
  Promise.reject(
    new AppError('validation', "config.include_paths: pattern 2 can't be used: missing )", {
      detail: [{ loc: ['body', 'config', 'include_paths', 1], msg: 'missing )', type: 'pattern_refused' }],
    }),
  );

it.each([
  ['includePaths', ['includePaths']],
  ['include_paths', ['include_paths']],
  ['config.include_paths', ['config', 'include_paths']],
])('a pattern sent as %s is refused by that name', async (name, field) => {
  await expect(namingPatterns(() => field, refused)).rejects.toMatchObject({
    code: 'validation',
    message: `${name}: pattern 2 can't be used: missing )`,
    detail: [{ loc: ['body', ...field, 1], msg: 'missing )', type: 'pattern_refused' }],
  });
});

it('other errors and answers pass as they are', async () => {
  const other = new AppError('conflict', 'a run is under way');
  await expect(
    namingPatterns(
      () => [],
      () => Promise.reject(other),
    ),
  ).rejects.toBe(other);
  await expect(
    namingPatterns(
      () => [],
      async () => 5,
    ),
  ).resolves.toBe(5);
});
