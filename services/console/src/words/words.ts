import { account } from './en/account.ts';
import { children, logins } from './en/accounts.ts';
import { billing } from './en/billing.ts';
import { changes } from './en/changes.ts';
import { coverage } from './en/coverage.ts';
import { connections, destinations } from './en/destinations.ts';
import { exports } from './en/exports.ts';
import { exits, monitor, usage } from './en/operations.ts';
import { overview } from './en/overview.ts';
import { pages } from './en/pages.ts';
import { picker } from './en/picker.ts';
import { playground } from './en/playground.ts';
import { projects } from './en/projects.ts';
import { requests } from './en/requests.ts';
import { runs } from './en/runs.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';
import { links, sources } from './en/sources.ts';
import { keys, members, workspace } from './en/team.ts';
import { notices, webhooks } from './en/webhooks.ts';

const more = { children, exits, links, logins, monitor, sources, usage };
const team = { keys, members, workspace };

/** All texts of the console. A translation is a folder beside `en` with the same shape, chosen here. */
export const words = {
  ...shell,
  ...more,
  account,
  billing,
  changes,
  connections,
  coverage,
  destinations,
  exports,
  notices,
  overview,

  pages,
  picker,
  playground,
  projects,
  requests,
  runs,
  settings,
  team,
  webhooks,
} as const;
