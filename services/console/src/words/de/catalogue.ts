import type { Catalogue } from '../en/catalogue.ts';
import { account } from './account.ts';
import { children, logins } from './accounts.ts';
import { billing } from './billing.ts';
import { changes } from './changes.ts';
import { counts } from './counts.ts';
import { coverage } from './coverage.ts';
import { connections, destinations } from './destinations.ts';
import { exports } from './exports.ts';
import { exits, monitor, usage } from './operations.ts';
import { overview } from './overview.ts';
import { pages } from './pages.ts';
import { palette } from './palette.ts';
import { picker } from './picker.ts';
import { playground } from './playground.ts';
import { projects } from './projects.ts';
import { recorder } from './recorder.ts';
import { requests } from './requests.ts';
import { runStops } from './run-stops.ts';
import { runs } from './runs.ts';
import { settingNames } from './setting-names.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { links, sources } from './sources.ts';
import { actors, keys, members, workspace } from './team.ts';
import { notices, webhooks } from './webhooks.ts';

const operations = { exits, monitor, usage };
const team = { actors, keys, members, workspace };

/** The German texts. */
export const german = {
  ...shell,
  ...operations,
  account,
  billing,
  changes,
  children,
  connections,
  counts,
  coverage,
  destinations,
  exports,
  links,
  logins,
  notices,
  overview,
  pages,
  palette,
  picker,
  playground,
  projects,
  recorder,
  requests,
  runStops,
  runs,
  settingNames,
  settings,
  sources,
  team,
  webhooks,
} satisfies Catalogue;
