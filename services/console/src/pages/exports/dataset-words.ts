import type { Dataset } from '@tidemark/sdk';
import { words } from '../../words/words.ts';

const titles: Readonly<Record<string, string>> = words.exports.titles;
const about: Readonly<Record<string, string>> = words.exports.about;

/** Returns the title of a dataset; one that this console does not have is named as the API does. */
export const datasetTitle = (name: string): string => titles[name] ?? name;

/** Returns what a dataset contains, in the language of the console where it has a text. */
export const aboutDataset = ({ name, description }: Pick<Dataset, 'name' | 'description'>): string =>
  about[name] ?? description;
