import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/root.ts';
import { oneOf, textIn } from '../../routing/search.ts';
import { words } from '../../words/frame.ts';
import { WORKSPACE_TABS, type WorkspaceTab } from './workspace-tabs.ts';

interface WorkspaceSearch {
  readonly tab?: WorkspaceTab | undefined;
  /** Filter of the audit log. */
  readonly action?: string | undefined;
}

export const workspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workspace',
  staticData: { crumb: words.nav.settings },
  validateSearch: (search: Record<string, unknown>): WorkspaceSearch => ({
    tab: oneOf(search, 'tab', WORKSPACE_TABS),
    action: textIn(search, 'action'),
  }),
  component: lazyRouteComponent(() => import('./workspace-page.tsx'), 'WorkspacePage'),
});
