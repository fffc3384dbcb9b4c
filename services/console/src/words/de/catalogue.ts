import type { Catalogue } from '../en/catalogue.ts';
import { counts } from './counts.ts';
import { overview } from './overview.ts';
import { requests } from './requests.ts';
import { runs } from './runs.ts';
import { shell } from './shell.ts';

/** The German texts. */
export const german = { ...shell, counts, overview, requests, runs } satisfies Partial<Catalogue>;
