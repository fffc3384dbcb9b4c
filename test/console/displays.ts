import type { Display } from './console-browser.ts';

/** The two themes, for journeys. */
export const THEMES: readonly (readonly ['light' | 'dark', Display])[] = [
  ['light', { theme: 'light' }],
  ['dark', { theme: 'dark' }],
];
