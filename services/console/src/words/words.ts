import { type Catalogue, english } from './en/catalogue.ts';
import { translated } from './translation.ts';

/** All texts, in the chosen language. Modules of the first view import `frame.ts` instead. */
export const words: Catalogue = translated<Catalogue>(english);
