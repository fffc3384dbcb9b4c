import { useSyncExternalStore } from 'react';

/** Ends the wait of one refused call. */
type Answer = (isFresh: boolean) => void;

let waiting: readonly Answer[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Answer[]): void {
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
  const answers = waiting;
  set([]);
  for (const answer of answers) answer(isFresh);
}

export const useIsCodeNeeded = (): boolean => useSyncExternalStore(subscribe, () => waiting.length > 0);
