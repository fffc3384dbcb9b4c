import { changes } from './en/changes.ts';
import { connections, destinations } from './en/destinations.ts';
import { exports } from './en/exports.ts';
import { overview } from './en/overview.ts';
import { pages } from './en/pages.ts';
import { picker } from './en/picker.ts';
import { playground } from './en/playground.ts';
import { projects } from './en/projects.ts';
import { runs } from './en/runs.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';

/** All texts of the console. A translation is a folder beside `en` with the same shape, chosen here. */
export const words = {
  ...shell,
  changes,
  connections,
  destinations,
  exports,
  overview,
  pages,
  picker,
  playground,
  projects,
  runs,
  settings,
} as const;
