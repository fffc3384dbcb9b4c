import { compilePattern, matchesPath, normalizePath, type PathPattern } from './path-pattern.ts';
import { type RobotsLine, splitLines } from './robots-line.ts';

/** A rule that applies to one crawler. */
export interface RobotsRule extends PathPattern {
  readonly allows: boolean;
  /** Line of the file, counted from 1. */
  readonly line: number;
}

/** What a robots.txt says to one crawler. */
export interface RobotsRules {
  /** In the order of precedence: the first that matches a path decides. */
  readonly rules: readonly RobotsRule[];
  /** As written; undefined: none is. */
  readonly crawlDelay: string | undefined;
  /** As written, in the order of the file. */
  readonly sitemaps: readonly string[];
  /** The file has at least one line of the protocol. */
  readonly isRobotsTxt: boolean;
}

/** Limit for the wildcards of all rules together, because matching scans the URL once per wildcard. */
const MAX_WILDCARDS = 5_000;

/** Lines that apply to the crawler by its name, or to every crawler. */
interface Group {
  isNamed: boolean;
  readonly lines: RobotsLine[];
  crawlDelay: string | undefined;
}

/**
 * Returns what a robots.txt says to the crawler with this product token (RFC 9309 2.2.1). All groups that name it count together; where
 * none does, all groups for `*`.
 */
export function readRules(text: string, productToken: string): RobotsRules {
  const lines = splitLines(text);
  const named: Group = { isNamed: false, lines: [], crawlDelay: undefined };
  const general: Group = { isNamed: false, lines: [], crawlDelay: undefined };
  const sitemaps: string[] = [];
  let current = new Set<Group>();
  let hasRules = true;
  for (const line of lines) {
    switch (line.key) {
      case 'user-agent':
        // Consecutive user-agent lines start one group.
        if (hasRules) current = new Set();
        hasRules = false;
        addAgent(line.value);
        break;
      case 'sitemap':
        sitemaps.push(line.value);
        break;
      case 'crawl-delay':
        for (const group of current) group.crawlDelay ??= line.value;
        break;
      default:
        hasRules = true;
        for (const group of current) group.lines.push(line);
    }
  }
  const group = named.isNamed ? named : general;
  return {
    rules: compileRules(group.lines),
    crawlDelay: group.crawlDelay,
    sitemaps,
    isRobotsTxt: lines.length > 0,
  };

  function addAgent(value: string): void {
    if (/^\*(?:\s|$)/.test(value)) current.add(general);
    // The product token alone is compared: `Tidemark/1.0 (+https://…)` names Tidemark.
    if (/^[a-z_-]*/i.exec(value)?.[0].toLowerCase() !== productToken.toLowerCase()) return;
    named.isNamed = true;
    current.add(named);
  }
}

/** Compiles the rules and sorts them by precedence: the longest pattern first, of equally long ones those that allow. */
function compileRules(lines: readonly RobotsLine[]): RobotsRule[] {
  let wildcards = MAX_WILDCARDS;
  const rules = lines.flatMap(({ key, value, number }): RobotsRule[] => {
    const allows = key === 'allow';
    const pattern = normalizePath(value);
    // An empty pattern is no rule (RFC 9309 2.2.2).
    if (pattern === '') return [];
    const compiled = compilePattern(pattern);
    const bounded = boundWildcards(compiled, allows, wildcards);
    wildcards -= Math.min(wildcards, compiled.parts.length - 1);
    return bounded === undefined
      ? []
      : patternsOf(bounded, allows, pattern).map((one) => ({ ...one, allows, line: number }));
  });
  return rules.sort((a, b) => b.length - a.length || Number(b.allows) - Number(a.allows));
}

/**
 * Returns a pattern with at most `limit` wildcards. One that disallows is shortened and so matches more; one that allows is left out: a
 * hostile file refuses rather than allows.
 */
function boundWildcards(pattern: PathPattern, allows: boolean, limit: number): PathPattern | undefined {
  if (pattern.parts.length - 1 <= limit) return pattern;
  return allows ? undefined : { parts: pattern.parts.slice(0, limit + 1), isAnchored: false, length: pattern.length };
}

/** An allowed index page allows its folder too, as Google's parser reads it. */
function patternsOf(pattern: PathPattern, allows: boolean, text: string): PathPattern[] {
  const folder = allows ? /^(.*\/)index\.htm[^/]*$/.exec(text)?.[1] : undefined;
  return folder === undefined ? [pattern] : [pattern, compilePattern(`${folder}$`)];
}

/** Returns the rule that decides about a path with its query; undefined: none matches, so that the path is allowed. */
export function decidingRule({ rules }: Pick<RobotsRules, 'rules'>, path: string): RobotsRule | undefined {
  const normalized = normalizePath(path);
  return rules.find((rule) => matchesPath(rule, normalized));
}
