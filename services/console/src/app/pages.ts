import { changesRoute } from '../pages/changes/route.ts';
import {
  connectionRoute,
  destinationRoute,
  destinationsRoute,
  newConnectionRoute,
  newDestinationRoute,
} from '../pages/destinations/routes.ts';
import { exportsRoute } from '../pages/exports/route.ts';
import { overviewRoute } from '../pages/overview/route.ts';
import { pageRoute } from '../pages/page/route.ts';
import { pagesRoute } from '../pages/pages/route.ts';
import { pickerRoute } from '../pages/picker/route.ts';
import { playgroundRoute } from '../pages/playground/route.ts';
import { newProjectRoute } from '../pages/project-new/route.ts';
import { projectsRoute } from '../pages/projects/route.ts';
import { runRoute } from '../pages/run/route.ts';
import { runsRoute } from '../pages/runs/route.ts';
import { settingsRoute } from '../pages/settings/route.ts';

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
] as const;

/** The pages of one project. */
export const PROJECT_PAGES = [
  runsRoute,
  runRoute,
  pagesRoute,
  pageRoute,
  changesRoute,
  pickerRoute,
  exportsRoute,
  settingsRoute,
] as const;
