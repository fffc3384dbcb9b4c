import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Pack, Plan } from './plan.ts';

const Engine = z.object({
  tier: z.enum(['http', 'browser']),
  /** True if requests go through an exit, a proxy that the operator configures. */
  exit: z.boolean().default(false),
  /** Price of a page read with this engine. */
  credits: z.int().min(0),
  says: z.string(),
});

const Catalogue = z.object({
  plans: z.record(z.string(), Plan),
  /** Credit packs, smallest first. */
  packs: z.array(Pack).default([]),
  /** Engines, cheapest first. */
  ladder: z.array(Engine).min(1),
});

export type Engine = z.output<typeof Engine>;
export type Catalogue = z.output<typeof Catalogue>;

/** Loads plans, prices and the ladder. `path`: file of the operator; default: the bundled file. @throws Error naming file and field */
export function loadCatalogue(path?: string): Catalogue {
  const file = path ?? new URL('../catalogue.json', import.meta.url);
  const parsed = Catalogue.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success)
    throw new Error(`the catalogue ${path ?? 'catalogue.json'} is invalid:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Returns a plan of the catalogue. @throws Error naming the plans if there is none of this name */
export function planOf({ plans }: Catalogue, name: string): Plan {
  const plan = plans[name];
  if (plan !== undefined) return plan;
  throw new Error(`the plan "${name}" is not in the catalogue; its plans are ${Object.keys(plans).join(', ')}`);
}
