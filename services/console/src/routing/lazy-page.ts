import { type AsyncRouteComponent, lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import { words } from '../words/frame.ts';

/**
 * Returns the component of a page that is loaded when it is first opened. Where that fails, the page of errors shows why: the router would
 * load the document again, and without a connection the browser would show its own error page instead of the console.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Readonly<Record<Name, RouteComponent>>>,
  name: Name,
): AsyncRouteComponent<object> {
  const guarded = async (): Promise<Readonly<Record<Name, RouteComponent>>> => {
    try {
      return await load();
    } catch (cause) {
      throw navigator.onLine ? cause : new Error(words.states.pageOffline, { cause });
    }
  };
  return lazyRouteComponent(guarded, name);
}
