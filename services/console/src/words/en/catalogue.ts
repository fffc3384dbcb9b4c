import type { Texts } from '../../language/texts.ts';
import { account } from './account.ts';
import { children, logins } from './accounts.ts';
import { billing } from './billing.ts';
import { changes } from './changes.ts';
import { coverage } from './coverage.ts';
import { connections, destinations } from './destinations.ts';
import { exports } from './exports.ts';
import { frame } from './frame.ts';
import { exits, monitor, usage } from './operations.ts';
import { pages } from './pages.ts';
import { palette } from './palette.ts';
import { picker } from './picker.ts';
import { playground } from './playground.ts';
import { projects } from './projects.ts';
import { recorder } from './recorder.ts';
import { requests } from './requests.ts';
import { runs } from './runs.ts';
import { settingNames } from './setting-names.ts';
import { settings } from './settings.ts';
import { links, sources } from './sources.ts';
import { actors, keys, members, workspace } from './team.ts';
import { notices, webhooks } from './webhooks.ts';

const more = { children, exits, links, logins, monitor, sources, usage };
const team = { actors, keys, members, workspace };

export const english = {
  ...frame,
  ...more,
  account,
  billing,
  changes,
  connections,
  coverage,
  destinations,
  exports,
  notices,
  pages,
  palette,
  picker,
  playground,
  projects,
  recorder,
  requests,
  runs,
  settingNames,
  settings,
  team,
  webhooks,
} as const;

/** Every text of the console. A translation has the same keys, and functions with the same parameters. */
export type Catalogue = Texts<typeof english>;
