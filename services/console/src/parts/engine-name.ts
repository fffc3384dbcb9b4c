import { words } from '../words/words.ts';

/** Returns the name of the way a page was read; the word of the interface where there is none. */
export const engineName = (method: string): string => words.runs.engineNames[method] ?? method;
