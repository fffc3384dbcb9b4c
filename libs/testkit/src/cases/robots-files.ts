import type { RuleCases } from './rule-cases.ts';

/** A robots.txt and the paths of https://example.com, as URLs have them, that it allows and disallows for an agent. */
export interface RobotsCase {
  readonly robots: string;
  /** Product token of the crawler. */
  readonly agent: string;
  readonly allowed: readonly string[];
  readonly disallowed: readonly string[];
}

interface Paths {
  readonly allowed?: readonly string[];
  readonly disallowed?: readonly string[];
  readonly agent?: string;
}

const file = (
  lines: string | readonly string[],
  { allowed = [], disallowed = [], agent = 'Bot' }: Paths,
): RobotsCase => ({
  robots: typeof lines === 'string' ? lines : lines.join('\n'),
  agent,
  allowed,
  disallowed,
});

/** A file with one group for all agents. */
const rules = (lines: readonly string[], paths: Paths): RobotsCase => file(['User-agent: *', ...lines], paths);
const disallow = (pattern: string, disallowed: readonly string[], allowed: readonly string[]): RobotsCase =>
  rules([`Disallow: ${pattern}`], { disallowed, allowed });
const allowOnly = (pattern: string, allowed: readonly string[], disallowed: readonly string[]): RobotsCase =>
  rules(['Disallow: /', `Allow: ${pattern}`], { allowed, disallowed });

/** Files by the rule that decides. */
export const ROBOTS_FILES: readonly RuleCases<RobotsCase>[] = [
  {
    rule: 'without a rule that matches everything is allowed',
    source: 'RFC 9309 2.2.2',
    cases: [
      file('', { allowed: ['/', '/a', '/a?b'] }),
      file('\n\n', { allowed: ['/', '/a'] }),
      file('# a comment', { allowed: ['/'] }),
      file('User-agent: *', { allowed: ['/', '/a'] }),
      file('User-agent: Bot', { allowed: ['/a'] }),
      file('Disallow: /', { allowed: ['/', '/a'] }),
      file('Allow: /a\nDisallow: /', { allowed: ['/', '/a', '/b'] }),
      rules(['Disallow:'], { allowed: ['/', '/a'] }),
      rules(['Disallow: '], { allowed: ['/', '/a'] }),
      rules(['Disallow: # all'], { allowed: ['/', '/a'] }),
      rules(['Allow:'], { allowed: ['/', '/a'] }),
      rules(['Allow:', 'Disallow: /a'], { allowed: ['/b'], disallowed: ['/a'] }),
      rules(['Disallow: /a', 'Disallow:'], { allowed: ['/b'], disallowed: ['/a'] }),
      file('<!doctype html><title>Not found</title><p>No page.', { allowed: ['/', '/a'] }),
      file('{"user-agent": "*", "disallow": "/"}', { allowed: ['/a'] }),
      file('\0\0\0', { allowed: ['/a'] }),
    ],
  },
  {
    rule: 'a rule matches paths that start with its value',
    source: 'RFC 9309 2.2.2',
    cases: [
      disallow('/', ['/', '/a', '/?a', '/a/b.html'], []),
      disallow('/a', ['/a', '/a/', '/a/b', '/ab', '/a.html', '/a?b', '/a#b'], ['/', '/b', '/b/a', '/A', '/%61b/../c']),
      disallow('/a/', ['/a/', '/a/b', '/a/b/c?d'], ['/a', '/ab', '/a.html', '/a?b', '/b/a/']),
      disallow('/a/b', ['/a/b', '/a/bc', '/a/b/c'], ['/a', '/a/', '/a/c', '/b']),
      disallow('/a.html', ['/a.html', '/a.html?b', '/a.html5'], ['/a.htm', '/a', '/b/a.html']),
      disallow('/a?', ['/a?b', '/a?b=c'], ['/a', '/ab', '/a/']),
      disallow('/a?b=', ['/a?b=', '/a?b=c', '/a?b=c&d'], ['/a', '/a?c=', '/a?c&b=', '/a?B=']),
      disallow('/?', ['/?a', '/?a=b'], ['/', '/a', '/a?b']),
      disallow('/a;b', ['/a;b', '/a;bc'], ['/a', '/a;', '/a;c']),
      disallow('/a//b', ['/a//b', '/a//bc'], ['/a/b', '/a/']),
      disallow('//', ['//', '//a'], ['/', '/a', '/a//']),
      disallow('/~a', ['/~a', '/~a/b'], ['/~b', '/a']),
      disallow('/a+b', ['/a+b'], ['/ab', '/aab', '/a']),
      disallow('/a.b', ['/a.b', '/a.bc'], ['/aab', '/ab']),
      disallow('/(a)', ['/(a)'], ['/a', '/b']),
      disallow('/[ab]', [], ['/a', '/b']),
      disallow('/a^b', ['/a%5Eb'], ['/a', '/b']),
      disallow('/a\\d', [], ['/a1', '/ad', '/a']),
      allowOnly('/a', ['/a', '/a/b', '/ab', '/a?b'], ['/', '/b', '/b/a']),
      allowOnly('/a/', ['/a/', '/a/b'], ['/', '/a', '/ab']),
      allowOnly('/a?b', ['/a?b', '/a?bc'], ['/a', '/a?c']),
    ],
  },
  {
    rule: 'a value without a slash at its start matches nothing',
    source: 'RFC 9309 2.2.2',
    cases: [
      disallow('a', [], ['/', '/a', '/a/b']),
      disallow('a/b', [], ['/a/b', '/b']),
      disallow('https://example.com/a', [], ['/a', '/']),
      disallow('//example.com/a', ['//example.com/a'], ['/a', '/']),
      disallow('.', [], ['/', '/a', '/.']),
      disallow('?a', [], ['/?a', '/b?a']),
    ],
  },
  {
    rule: 'paths have case',
    source: 'RFC 9309 2.2.2',
    cases: [
      disallow('/A', ['/A', '/Ab', '/A/b'], ['/a', '/ab']),
      disallow('/a/B', ['/a/B'], ['/a/b', '/A/B']),
      allowOnly('/Docs', ['/Docs', '/Docs/a'], ['/docs', '/DOCS']),
      disallow('/*.PDF', ['/a.PDF'], ['/a.pdf', '/a.Pdf']),
      disallow('/?Q=', ['/?Q=1'], ['/?q=1']),
    ],
  },
  {
    rule: 'the longest rule decides, whatever the order, and allow decides among equals',
    source: 'RFC 9309 2.2.2',
    cases: [
      rules(['Allow: /a', 'Disallow: /'], { allowed: ['/a', '/a/b'], disallowed: ['/', '/b'] }),
      rules(['Disallow: /', 'Allow: /a'], { allowed: ['/a', '/a/b'], disallowed: ['/', '/b'] }),
      rules(['Disallow: /a', 'Allow: /a/b'], { allowed: ['/', '/a/b', '/a/bc', '/b'], disallowed: ['/a', '/a/c'] }),
      rules(['Allow: /a/b', 'Disallow: /a'], { allowed: ['/a/b'], disallowed: ['/a', '/a/c'] }),
      rules(['Allow: /a', 'Disallow: /a/b'], { allowed: ['/a', '/a/c'], disallowed: ['/a/b', '/a/b/c'] }),
      rules(['Disallow: /a', 'Allow: /a'], { allowed: ['/a', '/a/b'] }),
      rules(['Allow: /a', 'Disallow: /a'], { allowed: ['/a', '/a/b'] }),
      rules(['Disallow: /', 'Allow: /'], { allowed: ['/', '/a'] }),
      rules(['Disallow: /a/b/c', 'Allow: /a/b', 'Disallow: /a'], {
        allowed: ['/a/b', '/a/b/d'],
        disallowed: ['/a', '/a/b/c', '/a/c'],
      }),
      rules(['Allow: /a.html', 'Disallow: /*.html'], { allowed: ['/b.txt', '/a.html'], disallowed: ['/b.html'] }),
      rules(['Allow: /a.htm', 'Disallow: /*.html'], { allowed: ['/a.htm'], disallowed: ['/a.html', '/b.html'] }),
      rules(['Allow: /ab', 'Disallow: /*c'], { allowed: ['/abc'], disallowed: ['/ac', '/c'] }),
      rules(['Allow: /$', 'Disallow: /'], { allowed: ['/'], disallowed: ['/a', '/?a', '/index.html'] }),
      rules(['Disallow: /a*', 'Allow: /a'], { disallowed: ['/ab', '/a'] }),
      rules(['Disallow: /', 'Allow: /a', 'Allow: /a/b', 'Disallow: /a/b/c'], {
        allowed: ['/a', '/a/b'],
        disallowed: ['/b', '/a/b/c', '/a/b/cd'],
      }),
      rules(['Disallow: /a', 'Disallow: /a/b', 'Allow: /a/b/c'], { allowed: ['/a/b/c'], disallowed: ['/a', '/a/b'] }),
      rules(['Allow: /a?b', 'Disallow: /a'], { allowed: ['/a?b', '/a?bc'], disallowed: ['/a', '/a?c'] }),
      rules(['Disallow: /*?', 'Allow: /a'], { allowed: ['/b', '/a'], disallowed: ['/b?c'] }),
    ],
  },
  {
    rule: 'an asterisk matches any characters',
    source: 'RFC 9309 2.2.3',
    cases: [
      disallow('*', ['/', '/a', '/a?b'], []),
      disallow('/*', ['/', '/a', '/?'], []),
      disallow('/a*', ['/a', '/ab', '/a/b'], ['/', '/b', '/ba']),
      disallow('/*a', ['/a', '/ba', '/b/a', '/ab'], ['/', '/b']),
      disallow('/a*b', ['/ab', '/acb', '/a/c/b', '/abc', '/a?b'], ['/a', '/b', '/ba', '/ac']),
      disallow('/a*b*c', ['/abc', '/a1b2c', '/a/b/c/d'], ['/acb', '/ab', '/ac']),
      disallow('/*/b', ['/a/b', '/a/b/c', '/a/c/b', '//b'], ['/b', '/a', '/a/cb']),
      disallow('/a/*/c', ['/a/b/c', '/a/b/b/c', '/a//c'], ['/a/c', '/a/b/d']),
      disallow('/*.php', ['/a.php', '/a/b.php', '/a.php?b', '/a.php5', '/.php'], ['/a', '/a.PHP', '/php']),
      disallow('/a*.php', ['/a.php', '/ab.php', '/a/b.php?c'], ['/b.php', '/a.html']),
      disallow('/*?', ['/?b', '/a?b', '/a/b?c=d'], ['/', '/a']),
      disallow('/*?*b=', ['/?b=', '/a?c&b=1', '/?ab=1'], ['/?b', '/b=', '/a?c']),
      disallow('/*&b=', ['/?a&b=', '/a?c=d&b=1'], ['/?b=', '/a?b=1']),
      disallow('/**', ['/', '/a'], []),
      disallow('/a**b', ['/ab', '/acb'], ['/a']),
      disallow('/***a', ['/a', '/ba'], ['/b']),
      disallow('*a', ['/a', '/ba'], ['/', '/b']),
      disallow('*/a/', ['/a/', '/b/a/', '/b/a/c'], ['/a', '/ba/']),
      disallow('*.pdf', ['/a.pdf', '/b/a.pdf?c'], ['/pdf', '/a.txt']),
      disallow('/a/*', ['/a/', '/a/b'], ['/a', '/ab']),
      disallow('/*/', ['/a/', '/a/b', '//'], ['/', '/a']),
      disallow('/*b=*', ['/?b=', '/ab=c'], ['/b', '/?a=b']),
      allowOnly('/*.css', ['/a.css', '/a/b.css?v=1'], ['/a.js', '/a']),
      disallow(
        `/${'*a'.repeat(50)}b`,
        [`/${'a'.repeat(50)}b`, `/${'ca'.repeat(50)}b`],
        [`/${'a'.repeat(49)}b`, `/${'a'.repeat(200)}`],
      ),
    ],
  },
  {
    rule: 'a dollar at the end matches the end of the path',
    source: 'RFC 9309 2.2.3',
    cases: [
      disallow('/$', ['/'], ['/a', '/?a', '/index.html']),
      disallow('/a$', ['/a'], ['/', '/ab', '/a/', '/a?b']),
      disallow('/a/$', ['/a/'], ['/a', '/a/b', '/a/?b']),
      disallow('/*.pdf$', ['/a.pdf', '/a/b.pdf', '/a.pdf.pdf'], ['/a.pdf?b', '/a.pdfx', '/a.pdf/', '/a']),
      disallow('/*a$', ['/a', '/ba', '/aba'], ['/ab', '/b']),
      disallow('/a*$', ['/a', '/ab', '/a?b'], ['/', '/b']),
      disallow('/*$', ['/', '/a'], []),
      disallow('/*?a$', ['/?a', '/b?a'], ['/a', '/a?b', '/?ab']),
      disallow('/a?b$', ['/a?b'], ['/a?bc', '/a']),
      disallow('/*/$', ['/a/', '/a/b/'], ['/', '/a', '/a/b']),
      allowOnly('/$', ['/'], ['/a', '/?a']),
      allowOnly('/a.html$', ['/a.html'], ['/a.html?b', '/a.htm']),
      disallow('/a$b', ['/a$b', '/a$bc'], ['/a', '/ab']),
      disallow('/$a', ['/$a'], ['/', '/a']),
      disallow('/a$$', ['/a$'], ['/a', '/ab']),
    ],
  },
  {
    rule: 'percent encodings are compared as the bytes they stand for',
    source: 'RFC 9309 2.2.2',
    cases: [
      disallow('/a%3cd.html', ['/a%3cd.html', '/a%3Cd.html'], ['/a', '/ad.html']),
      disallow('/a%3Cd.html', ['/a%3cd.html', '/a%3Cd.html'], ['/ad.html']),
      disallow('/a%2fb', ['/a%2fb', '/a%2Fb'], ['/a/b', '/a']),
      disallow('/a/b', ['/a/b'], ['/a%2fb', '/a%2Fb']),
      disallow('/\u00e9', ['/\u00e9', '/%C3%A9', '/%c3%a9'], ['/e', '/%E9']),
      disallow('/%C3%A9', ['/\u00e9', '/%C3%A9', '/%c3%a9'], ['/e']),
      disallow('/\u6f22\u5b57', ['/\u6f22\u5b57/a', '/%E6%BC%A2%E5%AD%97'], ['/\u6f22']),
      disallow('/%E6%BC%A2', ['/\u6f22', '/\u6f22\u5b57'], ['/a']),
      disallow('/a?b=\u00fc', ['/a?b=\u00fc', '/a?b=%C3%BC'], ['/a?b=u']),
      disallow('/a b', ['/a%20b'], ['/a', '/ab', '/a+b']),
      disallow('/a%20b', ['/a%20b', '/a b'], ['/a+b']),
      allowOnly('/\u00e9', ['/\u00e9', '/%C3%A9'], ['/e', '/']),
    ],
  },
  {
    rule: 'the group of the agent applies, else the group for all',
    source: 'RFC 9309 2.2.1',
    cases: [
      file(['User-agent: Bot', 'Disallow: /a', 'User-agent: *', 'Disallow: /b'], {
        allowed: ['/', '/b'],
        disallowed: ['/a'],
      }),
      file(['User-agent: *', 'Disallow: /b', 'User-agent: Bot', 'Disallow: /a'], {
        allowed: ['/', '/b'],
        disallowed: ['/a'],
      }),
      file(['User-agent: Other', 'Disallow: /a', '', 'User-agent: *', 'Disallow: /b'], {
        allowed: ['/a'],
        disallowed: ['/b'],
      }),
      file(['User-agent: Other', 'Disallow: /'], { allowed: ['/', '/a'] }),
      file(['User-agent: *', 'Disallow: /', 'User-agent: Bot', 'Disallow:'], { allowed: ['/', '/a'] }),
      file(['User-agent: *', 'Disallow: /', 'User-agent: Bot'], { allowed: ['/', '/a'] }),
      file(['User-agent: *', 'Allow: /', 'User-agent: Bot', 'Disallow: /'], { disallowed: ['/', '/a'] }),
      file(['User-agent: Bot', 'Allow: /', 'User-agent: Other', 'Disallow: /'], { allowed: ['/', '/a'] }),
      file(['User-agent: Bot', 'Allow: /', 'User-agent: Other', 'Disallow: /'], {
        agent: 'Other',
        disallowed: ['/', '/a'],
      }),
      file(['User-agent: Bot', 'Allow: /', 'User-agent: Other', 'Disallow: /'], {
        agent: 'Third',
        allowed: ['/', '/a'],
      }),
    ],
  },
  {
    rule: 'an agent is a product token without case',
    source: 'RFC 9309 2.2.1',
    cases: [
      file(['User-agent: BOT', 'Disallow: /'], { disallowed: ['/a'] }),
      file(['User-agent: bot', 'Disallow: /'], { disallowed: ['/a'] }),
      file(['User-agent: bOt', 'Disallow: /'], { agent: 'BoT', disallowed: ['/a'] }),
      file(['User-agent: Bo', 'Disallow: /'], { allowed: ['/a'] }),
      file(['User-agent: Bots', 'Disallow: /'], { allowed: ['/a'] }),
      file(['User-agent: MyBot', 'Disallow: /'], { allowed: ['/a'] }),
      file(['User-agent: Bot Images', 'Disallow: /'], { disallowed: ['/a'] }),
      file(['User-agent: Images Bot', 'Disallow: /'], { allowed: ['/a'] }),
      file(['User-agent: Bot # the crawler', 'Disallow: /'], { disallowed: ['/a'] }),
      file(['User-agent: Bot-Images', 'Disallow: /'], { allowed: ['/a'] }),
      file(['User-agent: Bot-Images', 'Disallow: /'], { agent: 'Bot-Images', disallowed: ['/a'] }),
      file(['User-agent: Bot_Images', 'Disallow: /'], { agent: 'bot_images', disallowed: ['/a'] }),
      file(['User-agent: *bot', 'Disallow: /'], { allowed: ['/a'] }),
      file(['User-agent:', 'Disallow: /'], { allowed: ['/a'] }),
    ],
  },
  {
    rule: 'groups of one agent are one group',
    source: 'RFC 9309 2.2.1',
    cases: [
      file(['User-agent: Bot', 'Disallow: /a', 'User-agent: Bot', 'Disallow: /b'], {
        allowed: ['/c'],
        disallowed: ['/a', '/b'],
      }),
      file(
        ['User-agent: Bot', 'Disallow: /a', 'User-agent: Other', 'Disallow: /c', 'User-agent: BOT', 'Disallow: /b'],
        { allowed: ['/c'], disallowed: ['/a', '/b'] },
      ),
      file(['User-agent: *', 'Disallow: /a', 'User-agent: Other', 'Disallow: /c', 'User-agent: *', 'Disallow: /b'], {
        allowed: ['/c'],
        disallowed: ['/a', '/b'],
      }),
      file(['User-agent: Bot', 'User-agent: Other', 'Disallow: /a'], { allowed: ['/b'], disallowed: ['/a'] }),
      file(['User-agent: Bot', 'User-agent: Other', 'Disallow: /a'], {
        agent: 'Other',
        allowed: ['/b'],
        disallowed: ['/a'],
      }),
      file(['User-agent: Bot', '', 'User-agent: Other', '', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent: Bot', '# a comment', 'User-agent: Other', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent: Other', 'User-agent: *', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent: Bot', 'Allow: /a/b', 'User-agent: Bot', 'Disallow: /a'], {
        allowed: ['/a/b'],
        disallowed: ['/a'],
      }),
      file(['User-agent: Bot', 'Disallow: /a', 'Disallow: /b', 'User-agent: Other', 'Disallow: /'], {
        allowed: ['/c'],
        disallowed: ['/a', '/b'],
      }),
    ],
  },
  {
    rule: 'other lines are ignored and end no group',
    source: 'RFC 9309 2.2.4',
    cases: [
      file(['Sitemap: https://example.com/a.xml', 'User-agent: Bot', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent: Bot', 'Sitemap: https://example.com/a.xml', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent: Bot', 'Sitemap: https://example.com/a.xml', 'User-agent: Other', 'Disallow: /a'], {
        disallowed: ['/a'],
      }),
      file(['User-agent: Bot', 'Crawl-delay: 5', 'Disallow: /a'], { disallowed: ['/a'], allowed: ['/b'] }),
      file(['User-agent: Bot', 'Host: example.com', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent: Bot', 'Clean-param: b /c', 'Disallow: /a'], { disallowed: ['/a'], allowed: ['/c?b'] }),
      file(['User-agent: Bot', 'Noindex: /b', 'Disallow: /a'], { disallowed: ['/a'], allowed: ['/b'] }),
      file(['User-agent: Bot', 'any text', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent: Bot', ':', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent: Bot', ': /b', 'Disallow: /a'], { disallowed: ['/a'], allowed: ['/b'] }),
      file(['User-agent: Bot', '/b', 'Disallow: /a'], { disallowed: ['/a'], allowed: ['/b'] }),
      file(['User-agent: Bot', 'Request-rate: 1/5', 'Visit-time: 0600-0845', 'Disallow: /a'], { disallowed: ['/a'] }),
    ],
  },
  {
    rule: 'directives have no case, and white space and comments have no meaning',
    source: 'RFC 9309 2.2',
    cases: [
      file(['USER-AGENT: *', 'DISALLOW: /a'], { disallowed: ['/a'], allowed: ['/b'] }),
      file(['user-agent: *', 'disallow: /a', 'ALLOW: /a/b'], { disallowed: ['/a'], allowed: ['/a/b'] }),
      file(['uSeR-aGeNt: *', 'dIsAlLoW: /a'], { disallowed: ['/a'] }),
      file(['User-agent:*', 'Disallow:/a'], { disallowed: ['/a'] }),
      file(['User-agent : *', 'Disallow : /a'], { disallowed: ['/a'] }),
      file(['User-agent\t:\t*', 'Disallow\t:\t/a'], { disallowed: ['/a'] }),
      file(['  User-agent: *  ', '\tDisallow: /a\t'], { disallowed: ['/a', '/ab'] }),
      file(['User-agent: *', 'Disallow:     /a   '], { disallowed: ['/a'] }),
      file(['User-agent: * # all', 'Disallow: /a # no more'], { disallowed: ['/a', '/ab'] }),
      file(['User-agent: *#all', 'Disallow: /a#b'], { disallowed: ['/a', '/ab'] }),
      file(['User-agent: *', '# Disallow: /a', 'Disallow: /b'], { allowed: ['/a'], disallowed: ['/b'] }),
      file(['User-agent: *', '', '', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent: *', ' ', 'Disallow: /a', '', 'Disallow: /b'], { disallowed: ['/a', '/b'] }),
    ],
  },
  {
    rule: 'a line ends with a line feed, a carriage return or both, and the last one with the file',
    source: 'RFC 9309 2.2',
    cases: [
      file('User-agent: *\nDisallow: /a\n', { disallowed: ['/a'], allowed: ['/b'] }),
      file('User-agent: *\r\nDisallow: /a\r\n', { disallowed: ['/a'], allowed: ['/b'] }),
      file('User-agent: *\rDisallow: /a\r', { disallowed: ['/a'], allowed: ['/b'] }),
      file('User-agent: *\nDisallow: /a', { disallowed: ['/a'] }),
      file('User-agent: *\r\nDisallow: /a', { disallowed: ['/a'] }),
      file('User-agent: *\nDisallow: /a\rDisallow: /b\r\nDisallow: /c', { disallowed: ['/a', '/b', '/c'] }),
      file('User-agent: *\r\n\r\nDisallow: /a\r\n\r\n', { disallowed: ['/a'] }),
      file('User-agent: *\n\rDisallow: /a', { disallowed: ['/a'] }),
    ],
  },
  {
    rule: 'a byte order mark at the start is ignored',
    source: 'RFC 9309 2.2, robots.cc of Google',
    cases: [
      file('\ufeffUser-agent: *\nDisallow: /a', { disallowed: ['/a'] }),
      file('\ufeff\nUser-agent: *\nDisallow: /a', { disallowed: ['/a'] }),
      file('\ufeff# a\nUser-agent: *\nDisallow: /a', { disallowed: ['/a'] }),
      file('User-agent: *\n\ufeffDisallow: /a', { allowed: ['/a'] }),
    ],
  },
  {
    rule: 'frequent misspellings are understood',
    source: 'robots.cc of Google',
    cases: [
      ...['Dissallow', 'Dissalow', 'Disalow', 'Diasllow', 'Disallaw'].map((name) =>
        rules([`${name}: /a`], { disallowed: ['/a'], allowed: ['/b'] }),
      ),
      file(['Useragent: *', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User agent: *', 'Disallow: /a'], { disallowed: ['/a'] }),
      file(['User-agent *', 'Disallow /a'], { disallowed: ['/a'] }),
      rules(['Disallow\t/a'], { disallowed: ['/a'] }),
      rules(['Disallow /a b'], { allowed: ['/a', '/a%20b'] }),
      rules(['Denied: /a'], { allowed: ['/a'] }),
      rules(['Disallowed: /a'], { allowed: ['/b'], disallowed: ['/a'] }),
      rules(['Dis-allow: /a'], { allowed: ['/a'] }),
      rules(['Disallow= /a'], { allowed: ['/b'] }),
    ],
  },
  {
    rule: 'an allowed index page allows its folder',
    source: 'robots.cc of Google',
    cases: [
      allowOnly('/a/index.html', ['/a/', '/a/index.html', '/a/index.html?b'], ['/', '/a', '/a/b']),
      allowOnly('/a/index.htm', ['/a/', '/a/index.htm', '/a/index.html'], ['/', '/a/b']),
      allowOnly('/index.html', ['/', '/index.html'], ['/a', '/a/']),
      allowOnly('/a/index.php', ['/a/index.php'], ['/a/', '/a/index.html']),
      disallow('/a/index.html', ['/a/index.html'], ['/a/', '/a']),
    ],
  },
  {
    rule: 'long files and long lines are read in bounds',
    source: 'RFC 9309 2.5, robots.cc of Google',
    cases: [
      rules([`Disallow: /${'a'.repeat(2_000)}`], {
        disallowed: [`/${'a'.repeat(2_000)}`, `/${'a'.repeat(2_001)}`],
        allowed: ['/a', `/${'a'.repeat(1_999)}`],
      }),
      rules([`# ${'a'.repeat(100_000)}`, 'Disallow: /a'], { disallowed: ['/a'] }),
      rules([...Array.from({ length: 5_000 }, (_, at) => `Disallow: /p${at}/`), 'Allow: /p7/a'], {
        disallowed: ['/p0/', '/p4999/x', '/p7/'],
        allowed: ['/p7/a', '/p5000/', '/'],
      }),
      file(
        [
          ...Array.from({ length: 2_000 }, (_, at) => `User-agent: Agent${at}\nDisallow: /a`),
          'User-agent: Bot',
          'Disallow: /b',
        ],
        { disallowed: ['/b'], allowed: ['/a'] },
      ),
      file(`${'\n'.repeat(50_000)}User-agent: *\nDisallow: /a`, { disallowed: ['/a'] }),
    ],
  },
];

/** Sitemap lines and the URLs that they name for https://example.com/robots.txt. */
export const ROBOTS_SITEMAPS: readonly RuleCases<readonly [robots: string, sitemaps: readonly string[]]>[] = [
  {
    rule: 'a sitemap line belongs to no group',
    source: 'sitemaps.org, submitting sitemaps',
    cases: [
      ['Sitemap: https://example.com/a.xml', ['https://example.com/a.xml']],
      ['User-agent: Other\nDisallow: /\nSitemap: https://example.com/a.xml', ['https://example.com/a.xml']],
      [
        'SITEMAP: https://example.com/a.xml\nsitemap: https://example.com/b.xml',
        ['https://example.com/a.xml', 'https://example.com/b.xml'],
      ],
      ['Sitemap: https://example.com/a.xml\nSitemap: https://example.com/a.xml', ['https://example.com/a.xml']],
      ['Sitemap:https://cdn.example/a.xml.gz', ['https://cdn.example/a.xml.gz']],
      ['Site-map: https://example.com/a.xml', ['https://example.com/a.xml']],
      ['Sitemap: /a.xml\nSitemap: b.xml', ['https://example.com/a.xml', 'https://example.com/b.xml']],
      ['Sitemap: //cdn.example/a.xml', ['https://cdn.example/a.xml']],
      ['Sitemap: https://example.com/a.xml # all pages', ['https://example.com/a.xml']],
      [
        'Sitemap: https://example.com/a.xml\r\nSitemap: https://example.com/b.xml\r\n',
        ['https://example.com/a.xml', 'https://example.com/b.xml'],
      ],
    ],
  },
  {
    rule: 'a sitemap is fetched over http or https',
    source: 'sitemaps.org, location',
    cases: [
      ['Sitemap:', []],
      ['Sitemap: ftp://example.com/a.xml', []],
      ['Sitemap: file:///etc/passwd', []],
      ['Sitemap: javascript:alert(1)', []],
      ['Sitemap: http://[', []],
      ['# Sitemap: https://example.com/a.xml', []],
    ],
  },
];
