import { type CelEnv, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { EXTENSIONS } from './bounded-functions.ts';
import { checkTree, type ParsedSource } from './check-tree.ts';
import { type Expression, ExpressionError, MAX_SOURCE } from './expression.ts';
import { fromCel, toCel, type Variable } from './values.ts';

/** Most patterns that are kept compiled; a pattern may come from a cell. */
const MAX_PATTERNS = 100;
const MAX_PATTERN = 1_000;
/** Deepest nesting of brackets: the parser calls itself for each level. */
const MAX_NESTING = 100;

/**
 * Compiles a CEL expression over named variables.
 * CEL (https://github.com/google/cel-spec) ends on every input: it has no loops but those over lists. Patterns are matched by RE2, in linear time.
 * @throws ExpressionError for a syntax error, an unknown name or an expression beyond the bounds
 */
export function compileExpression(source: string, variables: readonly Variable[]): Expression {
  const { tree, positions } = parseSource(source);
  checkTree(source, { tree, positions }, variables);
  const evaluatePlan = plan(environment(), tree);
  const used = variables.filter(({ name }) => source.includes(name));
  return {
    source,
    evaluate: (row) => {
      const result = evaluatePlan(
        Object.fromEntries(used.map((variable) => [variable.name, toCel(row[variable.name], variable)])),
      );
      if (isCelError(result)) throw new ExpressionError(describe(result));
      return fromCel(result);
    },
  };
}

function parseSource(source: string): ParsedSource {
  if (source.trim() === '') throw new ExpressionError('the expression is empty');
  if (source.length > MAX_SOURCE)
    throw new ExpressionError(`the expression has ${source.length} characters; at most ${MAX_SOURCE} are allowed`);
  if (nestingOf(source) > MAX_NESTING)
    throw new ExpressionError(`brackets are nested deeper than ${MAX_NESTING} levels`);
  try {
    const { expr, sourceInfo } = parse(source);
    return { tree: expr, positions: sourceInfo?.positions ?? {} };
  } catch (error) {
    // The parser recurses: a deeply nested source ends with a RangeError of the stack.
    if (error instanceof RangeError) throw new ExpressionError('the expression is nested too deeply');
    throw syntaxError(source, error);
  }
}

/** Converts an error of the parser, whose message begins with the line and column. */
function syntaxError(source: string, error: unknown): ExpressionError {
  const message = describe(error);
  const [, line, column] = /^<input>:(\d+):(\d+)/.exec(message) ?? [];
  return new ExpressionError(
    `syntax error at ${message.replace(/^<input>:/, 'line ')}`,
    line === undefined ? undefined : offsetOf(source, Number(line), Number(column)),
  );
}

/** Returns the number of characters before a place, whose line and column are 1-based. */
const offsetOf = (source: string, line: number, column: number): number =>
  source
    .split('\n')
    .slice(0, line - 1)
    .reduce((before, { length }) => before + length + 1, column - 1);

/** Returns the deepest nesting of brackets. Brackets in texts count too: the bound is far above what an expression needs. */
function nestingOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of source) {
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function environment(): CelEnv {
  const matchers = new LRUCache<string, { test: (text: string) => boolean }>({ max: MAX_PATTERNS });
  return celEnv({
    funcs: [...EXTENSIONS],
    re2: {
      compile: (pattern) => {
        const known = matchers.get(pattern);
        if (known !== undefined) return known;
        if (pattern.length > MAX_PATTERN)
          throw new Error(`a pattern has ${pattern.length} characters; at most ${MAX_PATTERN} are allowed`);
        const compiled = RE2JS.compile(pattern);
        const matcher = { test: (text: string) => compiled.matcher(text).find() };
        matchers.set(pattern, matcher);
        return matcher;
      },
    },
  });
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, 300);
}
