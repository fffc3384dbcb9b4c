import { type ConfigGroup, configEntries } from '@tidemark/project-config';

type Settings = Readonly<Record<string, unknown>>;

/** Serialises settings for projects; empty if there are none. */
export const toConfigJson = (config: Settings | undefined): string =>
  config === undefined ? '' : JSON.stringify(config);

/** Returns the keys of these groups that can be copied between projects. */
export const copyableKeys = (groups: readonly (ConfigGroup | 'all')[]): string[] =>
  configEntries
    .filter(([, { group, site }]) => site !== true && (groups.includes('all') || groups.includes(group)))
    .map(([key]) => key);
