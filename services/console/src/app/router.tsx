import { createRouter } from '@tanstack/react-router';
import { Loading, Missing } from '../parts/states.tsx';
import { projectRoute } from '../routing/project.ts';
import { rootRoute } from '../routing/root.ts';
import { words } from '../words/frame.ts';
import { ErrorPage } from './error-page.tsx';
import { PAGES, PROJECT_PAGES } from './pages.ts';
import { Shell } from './shell.tsx';

rootRoute.update({ component: Shell, errorComponent: ErrorPage });

export const router = createRouter({
  routeTree: rootRoute.addChildren([...PAGES, projectRoute.addChildren([...PROJECT_PAGES])]),
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: () => <Missing title={words.states.noPage} />,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** The person entered the URL on the page before: a link from elsewhere spends nothing. */
    isPreviewRequested?: true;
  }
  interface StaticDataRouteOption {
    /** Title in the breadcrumbs. */
    crumb?: string;
    /** The page fills the window and scrolls inside of its own parts. */
    isWhole?: boolean;
  }
}
