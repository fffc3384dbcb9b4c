import { counts } from './counts.ts';
import { overview } from './overview.ts';
import { runs } from './runs.ts';
import { shell } from './shell.ts';

/** Texts of the first view. */
export const frame = { ...shell, counts, overview, runs } as const;
