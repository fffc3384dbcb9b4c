import type { Texts } from '../language/texts.ts';
import { frame } from './en/frame.ts';
import { translated } from './translation.ts';

/** Texts of the frame and the overview, in the chosen language. The other texts are loaded with the first page that shows them. */
export const words: Texts<typeof frame> = translated<Texts<typeof frame>>(frame);
