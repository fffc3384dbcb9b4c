import { AppError } from '@tidemark/errors';
import { CONFIG_KEYS, type ConfigKey, type FieldOf } from '@tidemark/project-config';

const isKey = (key: unknown): key is ConfigKey => typeof key === 'string' && Object.hasOwn(CONFIG_KEYS, key);

/** Runs a call and rewrites errors about rejected patterns, so that they name the field as the client sent it. */
export async function withPatternNames<T>(fieldOf: FieldOf, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
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
