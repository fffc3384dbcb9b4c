import type { Yaml } from '../../deploy/services.ts';

/** Texts that every reader of YAML reads as strings without quotes, within lists and maps too: some refuse a colon there. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z/][\w./-]*$/i;

/** Writes a value on one line. */
export function flowYaml(value: Yaml): string {
  if (typeof value === 'string') return PLAIN.test(value) ? value : JSON.stringify(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(flowYaml).join(', ')}]`;
  const entries = Object.entries(value).map(([key, one]) => `${key}: ${flowYaml(one)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

const isList = (value: Yaml): value is readonly Yaml[] => Array.isArray(value);
