import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Plan = z.object({
  /** Credits given once, when the workspace is first seen. */
  welcomeCredits: z.int().min(0),
  /** Requests a minute for each key. */
  rpm: z.int().min(1),
  subAccounts: z.int().min(0),
});

const Engine = z.object({
  tier: z.enum(['http', 'browser']),
  /** Through one of the operator's exits. */
  exit: z.boolean().default(false),
  /** Price of a page this engine read. */
  credits: z.int().min(0),
  says: z.string(),
});

const Catalogue = z.object({
  plans: z.record(z.string(), Plan),
  /** Engines, cheapest first. */
  ladder: z.array(Engine).min(1),
});

export type Plan = z.output<typeof Plan>;
export type Engine = z.output<typeof Engine>;
export type Catalogue = z.output<typeof Catalogue>;

/** Prices, plans and the ladder: data an operator edits. `path` names a file of one's own; the bundled one is the default. */
export function loadCatalogue(path?: string): Catalogue {
  const file = path ?? new URL('../catalogue.json', import.meta.url);
  const parsed = Catalogue.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success)
    throw new Error(`the catalogue ${path ?? 'catalogue.json'} is wrong:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
