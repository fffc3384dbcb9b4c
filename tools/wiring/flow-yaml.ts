import type { Yaml } from '../../deploy/services.ts';

/** Texts that YAML reads as strings without quotes, within lists and maps too. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z/$][\w./:@$-]*$/i;

/** Writes a value on one line. */
export function flowYaml(value: Yaml): string {
  if (typeof value === 'string') return PLAIN.test(value) && !value.endsWith(':') ? value : JSON.stringify(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(flowYaml).join(', ')}]`;
  const entries = Object.entries(value).map(([key, one]) => `${key}: ${flowYaml(one)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

const isList = (value: Yaml): value is readonly Yaml[] => Array.isArray(value);
