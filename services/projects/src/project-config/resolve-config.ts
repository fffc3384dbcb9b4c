import { AppError, messageOf } from '@tidemark/errors';
import { CONFIG_KEYS, type ResolvedRun, toProjectRun } from '@tidemark/project-config';
import { type ConfigValues, type Masking, mergeConfig } from '../domain/config-values.ts';

/** Scope and capture options of a run, with every default filled in. */
export type ResolvedConfig = ResolvedRun;

/** Fills in the defaults of a config. Also serves as its validation. @throws AppError validation */
export function resolveConfig(config: ConfigValues): ResolvedConfig {
  try {
    return toProjectRun(config);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('validation', `config: ${messageOf(cause)}`, { cause });
  }
}

/** Resolves a saved config, which an earlier catalogue may have accepted. @throws AppError validation */
export function resolveSaved(config: ConfigValues): ResolvedConfig {
  try {
    return resolveConfig(config);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'validation') throw cause;
    const message = `the saved config is not valid any more; save it again: ${cause.message}`;
    const detail = cause.detail === undefined ? {} : { detail: cause.detail };
    throw new AppError('validation', message, { httpStatus: 400, ...detail, cause });
  }
}

/** Merges unsaved changes into a saved config, as an update would. @throws AppError validation, too_large */
export function withUnsaved(saved: ConfigValues, change: ConfigValues, masking: Masking): ConfigValues {
  const unknown = Object.keys(change).filter((key) => !Object.hasOwn(CONFIG_KEYS, key));
  const [first] = unknown;
  if (first === undefined) return mergeConfig(saved, change, masking);
  const name = first.slice(0, 100);
  throw new AppError('validation', `config.${name}: there is no such setting`, {
    detail: unknown.slice(0, 20).map((key) => ({
      loc: ['body', 'config', key.slice(0, 100)],
      msg: 'setting not found',
      type: 'unrecognized_keys',
    })),
  });
}
