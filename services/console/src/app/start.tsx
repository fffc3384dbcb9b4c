import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '../api/queries.ts';
import { loadSession } from '../api/session.ts';
import { Loading } from '../parts/states.tsx';
import { router } from './router.tsx';
import { applyTheme } from './theme.ts';

/** Renders the application for a signed-in person; opens the sign-in page otherwise. */
export async function start(): Promise<void> {
  applyTheme();
  const root = document.getElementById('root');
  if (root === null || !(await loadSession())) return;
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Suspense fallback={<Loading />}>
          <RouterProvider router={router} />
        </Suspense>
      </QueryClientProvider>
    </StrictMode>,
  );
}
