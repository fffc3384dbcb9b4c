import { ROBOTS_TOKEN } from '@tidemark/egress/user-agent';
import { MAX_RULES } from './thresholds.ts';

/** Rules with a value after a colon. The text before the colon is then not a robot's name. */
const VALUED = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)\s*:/i;

/**
 * Returns the robots directives of a page from its X-Robots-Tag headers and its robots meta element: lower case, each
 * once, headers first. A robot's name in a header applies to all rules after it; rules for other robots are ignored.
 * https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 */
export function robotsDirectives(
  headers: Readonly<Record<string, string | string[]>>,
  metaRobots: string | undefined,
): string[] {
  const value = headers['x-robots-tag'] ?? [];
  const ownRules = (Array.isArray(value) ? value : [value]).flatMap(rulesForUs);
  const all = [...ownRules, ...rulesIn(metaRobots ?? '')].map((rule) => rule.toLowerCase());
  return [...new Set(all)].slice(0, MAX_RULES);
}

/**
 * Returns the applicable rules of one header. Servers that join several headers into one put each robot's name before
 * its rules.
 */
function rulesForUs(header: string): string[] {
  const rules: string[] = [];
  let forUs = true;
  for (const part of rulesIn(header)) {
    const named = VALUED.test(part) ? null : /^([\w-]+)\s*:\s*(.*)$/.exec(part);
    if (named) forUs = ['*', 'robots', ROBOTS_TOKEN.toLowerCase()].includes(named[1]?.toLowerCase() ?? '');
    const rule = named ? (named[2] ?? '') : part;
    if (forUs && rule !== '') rules.push(rule);
  }
  return rules;
}

/** Splits at commas, except inside a date. */
function rulesIn(text: string): string[] {
  return text
    .slice(0, 4_000)
    .split(/,(?!\s*\d{1,2}[\s-]\w{3})/)
    .map((rule) => rule.trim().replace(/\s+/g, ' '))
    .filter((rule) => rule !== '');
}

/** Returns the warnings for noindex and nofollow; `none` means both. */
export function directiveWarnings(directives: readonly string[]): string[] {
  const none = directives.includes('none');
  return ['noindex', 'nofollow'].filter((rule) => none || directives.includes(rule));
}
