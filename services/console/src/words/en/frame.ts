import { counts } from './counts.ts';
import { overview } from './overview.ts';
import { runStops } from './run-stops.ts';
import { shell } from './shell.ts';

/** Texts of the first view. */
export const frame = { ...shell, counts, overview, runStops } as const;
