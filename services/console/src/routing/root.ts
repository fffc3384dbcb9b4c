import { createRootRoute } from '@tanstack/react-router';

/** The route above all pages; the frame is its component, set in `app/`. */
export const rootRoute = createRootRoute();
