import type { ConfigChange } from '@tidemark/contracts/config/v1/config';
import { type ConfigGroup, configEntries, type SettingsChange, toConfigChange } from '@tidemark/project-config';

/** Converts a change of settings; undefined: the request has none. */
export const toOptionalChange = (config: SettingsChange | undefined): ConfigChange | undefined =>
  config === undefined ? undefined : toConfigChange(config);

/** Returns the keys of these groups that can be copied between projects. */
export const copyableKeys = (groups: readonly (ConfigGroup | 'all')[]): string[] =>
  configEntries
    .filter(([, { group, site }]) => site !== true && (groups.includes('all') || groups.includes(group)))
    .map(([key]) => key);
