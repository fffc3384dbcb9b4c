import { ROBOTS_TOKEN } from '@tidemark/egress/user-agent';

/** Rules that carry a value after a colon, so that a colon does not always follow a robot's name. */
const VALUED = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)\s*:/i;
const MAX_RULES = 50;

/**
 * What a page asks of robots, from its X-Robots-Tag headers and its meta robots: lower case, each once, headers first. A
 * header may name the robot it speaks to, and then speaks for all that follows in it; others' are not ours.
 * https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 */
export function robotsDirectives(
  headers: Readonly<Record<string, string | string[]>>,
  metaRobots: string | undefined,
): string[] {
  const value = headers['x-robots-tag'] ?? [];
  const ours = (Array.isArray(value) ? value : [value]).flatMap(rulesForUs);
  const all = [...ours, ...rulesIn(metaRobots ?? '')].map((rule) => rule.toLowerCase());
  return [...new Set(all)].slice(0, MAX_RULES);
}

/** Rules of one header. Servers that join several headers into one line put each robot's name before its rules. */
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

/** `a, b: c` apart at the commas, but for those inside a date. */
function rulesIn(text: string): string[] {
  return text
    .slice(0, 4_000)
    .split(/,(?!\s*\d{1,2}[\s-]\w{3})/)
    .map((rule) => rule.trim().replace(/\s+/g, ' '))
    .filter((rule) => rule !== '');
}

/** The warnings of a page that asks not to be indexed, or its links not to be followed; `none` is both. */
export function directiveWarnings(directives: readonly string[]): string[] {
  const none = directives.includes('none');
  return ['noindex', 'nofollow'].filter((rule) => none || directives.includes(rule));
}
