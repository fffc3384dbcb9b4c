import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The object a JSON file holds; an empty one where the file is absent, damaged or holds something else. */
export function readJson(file: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

/** A value as an object with unknown members, or an empty object. */
export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Writes a file so that a reader sees the old or the new one, never half of it. */
export function writeJson(file: string, value: unknown, mode = 0o644): void {
  const half = `${file}.${process.pid}.new`;
  writeFileSync(half, `${JSON.stringify(value, null, 2)}\n`, { mode });
  renameSync(half, file);
}
