import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Returns the object in a JSON file; an empty one if the file is absent, invalid or contains another type. */
export function readJson(file: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

/** Returns the value if it is an object, otherwise an empty object. */
export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Replaces a file atomically. */
export function writeJson(file: string, value: unknown, mode = 0o644): void {
  const half = `${file}.${process.pid}.new`;
  writeFileSync(half, `${JSON.stringify(value, null, 2)}\n`, { mode });
  renameSync(half, file);
}
