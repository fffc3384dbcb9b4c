import { useSyncExternalStore } from 'react';

/** Ends the wait of one refused call. */
type Continue = (isFresh: boolean) => void;

let waiting: readonly Continue[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Continue[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Opens the dialog of the second factor. @returns whether a code was accepted; the refused call can then be repeated */
export const requestFreshCode = (): Promise<boolean> => new Promise((resolve) => set([...waiting, resolve]));

/** Closes the dialog and ends every call that waits for it. */
export function endFreshCode(isFresh: boolean): void {
  const continuations = waiting;
  set([]);
  for (const proceed of continuations) proceed(isFresh);
}

export const useIsCodeNeeded = (): boolean => useSyncExternalStore(subscribe, () => waiting.length > 0);
