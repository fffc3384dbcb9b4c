import { useSyncExternalStore } from 'react';
import { words } from '../words/frame.ts';

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** States that the connection is lost: what is shown may have changed since. */
export function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  if (isOnline) return null;
  return (
    <p role="status" className="bg-warn-tint px-5 py-2 text-ink">
      {words.states.disconnected}
    </p>
  );
}
