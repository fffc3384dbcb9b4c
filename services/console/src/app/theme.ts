import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const KEY = 'tidemark-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

const chosen = (): Theme | undefined => {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : undefined;
};

export const currentTheme = (): Theme => chosen() ?? (system.matches ? 'dark' : 'light');

/** Sets the theme of the document: the chosen one, or that of the system. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = currentTheme();
  for (const listener of listeners) listener();
}

export function toggleTheme(): void {
  const next = currentTheme() === 'dark' ? 'light' : 'dark';
  // The choice of the system needs no memory: it then follows the system again.
  if (next === (system.matches ? 'dark' : 'light')) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  applyTheme();
}

system.addEventListener('change', applyTheme);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme);
