import { account } from './en/account.ts';
import { children, logins } from './en/accounts.ts';
import { billing } from './en/billing.ts';
import { changes } from './en/changes.ts';
import { coverage } from './en/coverage.ts';
import { connections, destinations } from './en/destinations.ts';
import { exports } from './en/exports.ts';
import { exits, monitor, usage } from './en/operations.ts';
import { pages } from './en/pages.ts';
import { picker } from './en/picker.ts';
import { playground } from './en/playground.ts';
import { projects } from './en/projects.ts';
import { settings } from './en/settings.ts';
import { links, sources } from './en/sources.ts';
import { keys, members, workspace } from './en/team.ts';
import { notices, webhooks } from './en/webhooks.ts';
import { english as frame } from './frame.ts';
import type { Texts } from './texts.ts';
import { translated } from './translation.ts';

const more = { children, exits, links, logins, monitor, sources, usage };
const team = { keys, members, workspace };

const english = {
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
  picker,
  playground,
  projects,
  settings,
  team,
  webhooks,
} as const;

/** Every text of the console. A translation has the same keys, and functions with the same parameters. */
export type Catalogue = Texts<typeof english>;

/** All texts, in the chosen language. Modules of the first view import `frame.ts` instead. */
export const words: Catalogue = translated<Catalogue>(english);
