import { expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { withPatternNames } from './pattern-names.ts';

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
])('withPatternNames reports a pattern sent as %s under that name', async (name, field) => {
  await expect(withPatternNames(() => field, refused)).rejects.toMatchObject({
    code: 'validation',
    message: `${name}: pattern 2 can't be used: missing )`,
    detail: [{ loc: ['body', ...field, 1], msg: 'missing )', type: 'pattern_refused' }],
  });
});

it('withPatternNames passes other errors and results unchanged', async () => {
  const other = new AppError('conflict', 'a run is under way');
  await expect(
    withPatternNames(
      () => [],
      () => Promise.reject(other),
    ),
  ).rejects.toBe(other);
  await expect(
    withPatternNames(
      () => [],
      async () => 5,
    ),
  ).resolves.toBe(5);
});
