import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Labelled pages are stored outside the repository; CORPORA (environment) names another folder. */
export const CORPORA = process.env['CORPORA'] ?? join(import.meta.dirname, '../../../shared/corpora');

export const hasCorpora = (): boolean => existsSync(join(CORPORA, 'pages'));

export type Case = Record<string, unknown>;

const isCase = (value: unknown): value is Case => typeof value === 'object' && value !== null;

export function readCases(path: string): Case[] {
  const parsed: unknown = JSON.parse(readFileSync(join(CORPORA, path), 'utf8'));
  return Array.isArray(parsed) ? parsed.filter(isCase) : [];
}

export const textIn = (entry: Case, key: string): string => {
  const value = entry[key];
  return typeof value === 'string' ? value : '';
};

export const listIn = (entry: Case, key: string): string[] => {
  const value = entry[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

export const numberIn = (entry: Case, key: string): number => {
  const value = entry[key];
  return typeof value === 'number' ? value : 0;
};

/** Returns the page of a case as it was served. */
export const bytesOf = (folder: string, entry: Case): Uint8Array =>
  gunzipSync(readFileSync(join(CORPORA, folder, textIn(entry, 'file'))));
