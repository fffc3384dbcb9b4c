import { CONFIG_KEYS, type toProjectRun } from '@tidemark/api';
import { AppError, messageOf } from '@tidemark/errors';
import { type ConfigValues, type Masking, mergeConfig } from './domain/config-values.ts';

/** What a run does by a config, every value settled. @throws AppError validation */
export type Settle = (config: ConfigValues) => ReturnType<typeof toProjectRun>;

/** Settles a config, and refuses one that can't be. */
export const makeSettle =
  (settle: Settle): Settle =>
  (config) => {
    try {
      return settle(config);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new AppError('validation', `config: ${messageOf(cause)}`, { cause });
    }
  };

/** What a run does by a config as it was saved, which may have been under an earlier catalogue. @throws AppError validation */
export function settleSaved(config: ConfigValues, settle: Settle): ReturnType<Settle> {
  try {
    return settle(config);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'validation') throw cause;
    const message = `the saved config is not valid any more; save it anew: ${cause.message}`;
    const detail = cause.detail === undefined ? {} : { detail: cause.detail };
    throw new AppError('validation', message, { httpStatus: 400, ...detail, cause });
  }
}

/** A saved config with unsaved changes merged in, as an update would merge them. @throws AppError validation, too_large */
export function withUnsaved(saved: ConfigValues, change: ConfigValues, masking: Masking): ConfigValues {
  const unknown = Object.keys(change).filter((key) => !Object.hasOwn(CONFIG_KEYS, key));
  const [first] = unknown;
  if (first === undefined) return mergeConfig(saved, change, masking);
  const name = first.slice(0, 100);
  throw new AppError('validation', `config.${name}: there is no such setting`, {
    detail: unknown.slice(0, 20).map((key) => ({
      loc: ['body', 'config', key.slice(0, 100)],
      msg: 'there is no such setting',
      type: 'unrecognized_keys',
    })),
  });
}
