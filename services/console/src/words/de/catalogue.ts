import type { Catalogue } from '../en/catalogue.ts';
import { account } from './account.ts';
import { children, logins } from './accounts.ts';
import { counts } from './counts.ts';
import { coverage } from './coverage.ts';
import { exports } from './exports.ts';
import { exits, monitor, usage } from './operations.ts';
import { overview } from './overview.ts';
import { pages } from './pages.ts';
import { picker } from './picker.ts';
import { playground } from './playground.ts';
import { projects } from './projects.ts';
import { requests } from './requests.ts';
import { runs } from './runs.ts';
import { settingNames } from './setting-names.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { links, sources } from './sources.ts';
import { notices, webhooks } from './webhooks.ts';

const operations = { exits, monitor, usage };

/** The German texts. */
export const german = {
  ...shell,
  ...operations,
  account,
  children,
  counts,
  coverage,
  exports,
  links,
  logins,
  notices,
  overview,
  pages,
  picker,
  playground,
  projects,
  requests,
  runs,
  settingNames,
  settings,
  sources,
  webhooks,
} satisfies Partial<Catalogue>;
