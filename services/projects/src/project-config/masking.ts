import { copySetting, isSecretKey, maskSetting, restoreSetting } from '@tidemark/project-config';
import type { Masking } from '../domain/config-values.ts';

/** Masks, restores and copies the config keys that the catalogue marks as secret. */
export const masking: Masking = {
  isSecret: isSecretKey,
  mask: maskSetting,
  restore: restoreSetting,
  copy: copySetting,
};
