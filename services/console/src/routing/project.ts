import { createRoute } from '@tanstack/react-router';
import { rootRoute } from './root.ts';

/** The route above the pages of one project. */
export const projectRoute = createRoute({ getParentRoute: () => rootRoute, path: '/projects/$project' });
