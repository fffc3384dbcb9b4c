import { counts } from './en/counts.ts';
import { overview } from './en/overview.ts';
import { runs } from './en/runs.ts';
import { shell } from './en/shell.ts';
import type { Texts } from './texts.ts';
import { translated } from './translation.ts';

/** English texts of the first view. */
export const english = { ...shell, counts, overview, runs } as const;

/** Texts of the frame and the overview, in the chosen language. The other texts are loaded with the first page that shows them. */
export const words: Texts<typeof english> = translated<Texts<typeof english>>(english);
