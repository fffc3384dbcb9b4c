import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The source folder of the page reader. */
export const READER = join(fileURLToPath(import.meta.resolve('@tidemark/page-reader')), '..');

/** A threshold that has an effect to measure. */
export interface Threshold {
  readonly name: string;
  readonly value: number;
}

/** A constant of a table: its name and its value. */
export const DECLARATION = /^export const (\w+) = ([\d_.e]+);$/gm;
const DECLARED = /\n \* Effect: [^\n]*\n \*\/\nexport const (\w+) = ([\d_.]+);/g;

const thresholdFile = (stage: string): string => join(READER, stage, 'thresholds.ts');

/** Returns the thresholds of a stage that state an effect. The other constants of the file are bounds. */
export function thresholdsOf(stage: string): Threshold[] {
  const text = readFileSync(thresholdFile(stage), 'utf8');
  return [...text.matchAll(DECLARED)].map(([, name = '', value = '']) => ({
    name,
    value: Number(value.replaceAll('_', '')),
  }));
}

/** Writes measured effects, by the name of the threshold, to the table of a stage. */
export function writeEffects(stage: string, effects: ReadonlyMap<string, string>): void {
  const file = thresholdFile(stage);
  const text = readFileSync(file, 'utf8').replace(DECLARED, (found: string, name: string) => {
    const effect = effects.get(name);
    return effect === undefined ? found : found.replace(/ \* Effect: [^\n]*/, ` * Effect: ${effect}`);
  });
  writeFileSync(file, text);
}

/** Returns the values that a threshold is tried with: half and double; for a share beyond a half, the middle to 1. */
export function otherValues(value: number): number[] {
  const isShare = value < 1;
  const less = isShare || !Number.isInteger(value) ? value / 2 : Math.round(value / 2);
  const more = isShare && value > 0.5 ? (1 + value) / 2 : value * 2;
  return [...new Set([less, more].map((other) => Number(other.toPrecision(3))))].filter((other) => other !== value);
}
