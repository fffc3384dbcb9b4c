import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ruleOf } from '../tree/tag-rules.ts';

/**
 * Words of two or more letters in the literals that choose and clean the content: names of classes and ids, and
 * wordings. Each is a guess about sites. Lower the limit when a rule by structure replaces some.
 */
const ENTRIES_CAP = 993;

const MAIN = import.meta.dirname;
const sourcesOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));

/** Strings, templates and regular expressions of a source without its comments, imports and descriptions of rules. */
function literalsIn(source: string): string[] {
  const code = source
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*(?:drops|order): .*$/gm, '')
    .replace(/typeof \w+ [!=]== '\w+'/g, '')
    .replace(/^\s*\/\/.*$|^(?:import|export) [^;]* from .*$/gm, '');
  return (
    code.match(
      /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[=(,:[&|?!]\s*|return )\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/g,
    ) ?? []
  );
}

/** Names of tags are structure. */
const entriesIn = (literal: string): string[] =>
  (literal.replace(/\\[a-z]|\(\?<?[:=!]|\\p\{\w+\}|\/[a-z]*$/gi, ' ').match(/\p{L}{2,}/gu) ?? []).filter(
    (word) => ruleOf(word) === undefined,
  );

describe('rules of the main content', () => {
  it('use no more literal names and wordings than before', () => {
    const files = [...sourcesOf(MAIN), join(MAIN, '../tree/name-hints.ts')];
    const entries = files.flatMap((file) => literalsIn(readFileSync(file, 'utf8')).flatMap(entriesIn));
    expect(entries.length).toBeLessThanOrEqual(ENTRIES_CAP);
  });
});
