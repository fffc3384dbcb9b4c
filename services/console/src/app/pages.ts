import { accountRoute } from '../pages/account/route.ts';
import { billingRoute } from '../pages/billing/route.ts';
import { changesRoute } from '../pages/changes/route.ts';
import { checkoutRoute } from '../pages/checkout/route.ts';
import { childRoute } from '../pages/child/route.ts';
import { childrenRoute } from '../pages/children/route.ts';
import {
  connectionRoute,
  destinationRoute,
  destinationsRoute,
  newConnectionRoute,
  newDestinationRoute,
} from '../pages/destinations/routes.ts';
import { exitsRoute } from '../pages/exits/route.ts';
import { exportsRoute } from '../pages/exports/route.ts';
import { keysRoute } from '../pages/keys/route.ts';
import { linksRoute } from '../pages/links/route.ts';
import { loginsRoute } from '../pages/logins/route.ts';
import { membersRoute } from '../pages/members/route.ts';
import { monitorRoute } from '../pages/monitor/route.ts';
import { noticesRoute } from '../pages/notices/route.ts';
import { overviewRoute } from '../pages/overview/route.ts';
import { pageRoute } from '../pages/page/route.ts';
import { pagesRoute } from '../pages/pages/route.ts';
import { pickerRoute } from '../pages/picker/route.ts';
import { playgroundRoute } from '../pages/playground/route.ts';
import { newProjectRoute } from '../pages/project-new/route.ts';
import { projectWebhooksRoute } from '../pages/project-webhooks/route.ts';
import { projectsRoute } from '../pages/projects/route.ts';
import { recorderRoute } from '../pages/recorder/route.ts';
import { requestsRoute } from '../pages/requests/route.ts';
import { runRoute } from '../pages/run/route.ts';
import { runsRoute } from '../pages/runs/route.ts';
import { settingsRoute } from '../pages/settings/route.ts';
import { sourcesRoute } from '../pages/sources/route.ts';
import { usageRoute } from '../pages/usage/route.ts';
import { webhooksRoute } from '../pages/webhooks/route.ts';
import { workspaceRoute } from '../pages/workspace/route.ts';

/** The pages of the workspace. */
export const PAGES = [
  overviewRoute,
  projectsRoute,
  newProjectRoute,
  playgroundRoute,
  destinationsRoute,
  newDestinationRoute,
  destinationRoute,
  newConnectionRoute,
  connectionRoute,
  accountRoute,
  keysRoute,
  requestsRoute,
  membersRoute,
  noticesRoute,
  webhooksRoute,
  workspaceRoute,
  childRoute,
  childrenRoute,
  exitsRoute,
  loginsRoute,
  monitorRoute,
  usageRoute,
  billingRoute,
  checkoutRoute,
] as const;

/** The pages of one project. */
export const PROJECT_PAGES = [
  runsRoute,
  runRoute,
  pagesRoute,
  pageRoute,
  changesRoute,
  pickerRoute,
  recorderRoute,
  projectWebhooksRoute,
  sourcesRoute,
  linksRoute,
  exportsRoute,
  settingsRoute,
] as const;
