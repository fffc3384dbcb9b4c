import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries.ts';
import { loadSession } from './api/session.ts';
import { router } from './app/router.tsx';
import { applyTheme } from './app/theme.ts';
import { Loading } from './parts/states.tsx';

applyTheme();
const root = document.getElementById('root');
if (root !== null && (await loadSession()))
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Suspense fallback={<Loading />}>
          <RouterProvider router={router} />
        </Suspense>
      </QueryClientProvider>
    </StrictMode>,
  );
