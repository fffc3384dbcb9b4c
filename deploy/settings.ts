import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServiceName } from './services.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** A setting as `config.ts` declares it. */
export interface Setting {
  readonly key: string;
  /** Its comment on one line; empty: it has none. */
  readonly meaning: string;
  /** Text of the tag `@defaultValue`: a default that differs between machines, or that the value does not explain. */
  readonly defaultText?: string;
}

// The text is read because loading the modules costs more than a second, of which `npm start` would wait.
const SHAPE = /^export const \w+ = \{$\n([\s\S]*?)^\} as const;$/m;
const ENTRY = /^ {2}(?:\/\*\*([\s\S]*?)\*\/\s+)?([A-Z][A-Z0-9_]*):/gm;

/** Returns the settings that only this service reads, in the order of its `config.ts`. */
export const ownSettings = (service: ServiceName): readonly Setting[] =>
  readSettings(join(ROOT, 'services', service, 'src/config.ts'));

/** Returns the settings that every service reads. */
export const commonSettings = (): readonly Setting[] => readSettings(join(ROOT, 'libs/service/src/config.ts'));

function readSettings(file: string): readonly Setting[] {
  const [, body = ''] = SHAPE.exec(readFileSync(file, 'utf8')) ?? [];
  return [...body.matchAll(ENTRY)].map(([, comment = '', key = '']) => {
    const text = comment.replace(/\s*\n\s*\* ?/g, ' ').trim();
    const [meaning = '', defaultText] = text.split(/\s*@defaultValue\s+/);
    return { key, meaning, ...(defaultText === undefined ? {} : { defaultText }) };
  });
}
