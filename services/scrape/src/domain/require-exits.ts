import { AppError } from '@tidemark/errors';
import type { CaptureOptions } from './capture-options.ts';

/** @throws AppError validation (400) if a request needs an exit that this deployment does not have */
export function requireExits(
  { useProxy, country }: CaptureOptions,
  exits: { readonly isEmpty: boolean; hasCountry(country: string): boolean },
): void {
  const refuse = (key: string, message: string) => {
    throw new AppError('validation', message, {
      httpStatus: 400,
      detail: [{ loc: ['body', 'config', key], msg: message, type: 'no_exit' }],
    });
  };
  if (country !== undefined && useProxy === 'never') {
    refuse('country', `config.country "${country}" needs an exit, which config.use_proxy "never" rules out`);
  }
  if (country !== undefined && !exits.hasCountry(country))
    refuse('country', `config.country "${country}": this deployment has no exit there`);
  if (useProxy === 'always' && exits.isEmpty)
    refuse('use_proxy', 'config.use_proxy "always" needs an exit, and this deployment has none');
}
