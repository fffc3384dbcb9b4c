import { CONFIG_KEYS, type ConfigKey, type FieldOf } from '@tidemark/api';
import { AppError } from '@tidemark/errors';

const isKey = (key: unknown): key is ConfigKey => typeof key === 'string' && Object.hasOwn(CONFIG_KEYS, key);

/** Asks something that may refuse a pattern, which is then named as the caller sent it. */
export async function namingPatterns<T>(fieldOf: FieldOf, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof AppError ? named(error, fieldOf) : error;
  }
}

function named(error: AppError, fieldOf: FieldOf): AppError {
  const [fault] = error.detail ?? [];
  const [, , key, ...at] = fault?.loc ?? [];
  if (fault?.type !== 'pattern_refused' || !isKey(key)) return error;
  const field = fieldOf(key);
  const message = error.message.replace(`config.${key}:`, `${field.join('.')}:`);
  const detail = [{ ...fault, loc: ['body', ...field, ...at] }];
  return new AppError(error.code, message, { httpStatus: error.httpStatus, detail, cause: error });
}
