/** Where a word is searched: in names (identifiers, file names), in prose (comments, messages, titles, documents), or in both. */
export type Place = 'names' | 'prose' | 'both';

export interface BannedWord {
  /** Alternatives of a regular expression over lower-case words that are separated by single spaces. */
  readonly words: string;
  readonly use: string;
  readonly place: Place;
}

const both = (words: string, use: string): BannedWord => ({ words, use, place: 'both' });
const names = (words: string, use: string): BannedWord => ({ words, use, place: 'names' });
const prose = (words: string, use: string): BannedWord => ({ words, use, place: 'prose' });

/** Words of a private dialect, with the field's terms. The glossary in CONTRIBUTING.md explains the terms. */
export const BANNED_WORDS: readonly BannedWord[] = [
  both('tell|tells|telling|tellings|told|teller|tellers', 'send, publish, notify, report, pass'),
  both('wish|wishes|wished', 'request, options'),
  both('desk|desks', 'a use case named by its verb, or …Service'),
  both('nobody|somebody|anybody|everybody', 'no client, an instance, any caller, every user'),
  both('someone|anyone|everyone|whoever|whomever', 'a user, any client, every caller, the instance that'),
  both('whom', 'the recipient, the caller that'),
  both('ours|theirs', 'held by this instance, held by another instance'),
  both('purse|purses', 'credit budget'),
  both('penniless', 'without credits; requireCredits'),
  both('shelf|shelves', 'BlobTrash, IdleTabs'),
  both('brake|brakes', 'backlog limit, circuit breaker'),
  both('hear|hears|hearing|heard|unheard', 'receive, handle; handlers are on-<event>'),
  both('ask|asks|asked|asking|asker', 'request, query, call'),
  both('wants|wanted|wanting', 'requires, requested, expected'),
  prose('knows|thinks|believes|hopes', 'has, stores, holds, contains, expects'),
  both('belongings', 'AsyncDisposableStack'),
  both('goes on|gone on|go on|went on', 'continues; AbortSignal'),
  both('turnstile', 'fair queue'),
  both('patience|impatience', 'wait budget, timeout'),
  both('guise|guises', 'browser fingerprint, device emulation'),
  both('manner|manners', 'capture key, policy'),
  both('lane|lanes', 'receiver queue, priority class, egress proxy'),
  both('foresight', 'estimate'),
  both('forsaken', 'abandoned; with an expired lease'),
  both('departures', 'missing pages'),
  both('survey|surveys|surveyed', 'verify, scan'),
  both('plant|plants|planted|planting', 'enqueue'),
  both('janitor', 'cleanup, retention sweep'),
  both('keeper|keepers', 'lease renewal, reconciler'),
  both('conductor|conducted|conducting', 'orchestrator, orchestrated'),
  both('mint|mints|minted|minting', 'generate'),
  both('mend|mends|mended|mending', 'fix, repair, correct'),
  both('forget|forgets|forgetting|forgotten', 'delete, expire, discard'),
  both('judge|judges|judged|judging|judgement', 'evaluate, classify, check'),
  both('anew|afresh', 'again, new'),
  names('fact|facts', 'event'),
  names('look|looks|looked', 'poll, check, scan, lookup'),
  names('beside', 'peers, dependencies'),
  names('making', 'build'),
  names('book|books', 'writer, set, table'),
  names('grow|grows|grown|growing', 'record, extend'),
  names('door|doors', 'options'),
  names('face|faces', 'service, interface'),
  names('news', 'event, result'),
  names('ground', 'test servers'),
  names('away', 'unavailable'),
  names('says', 'summary, reason'),
  names('rung|rungs', 'tier; rung only in the ladder'),
  names('answer|answers', 'response, reply; as a verb respond'),
  prose('is away|are away|was away|were away', 'is unavailable'),
  prose(
    'a look|second look|second looks|looked at|looks at|looked after|looks after|looked for|looks for',
    'read, check, poll',
  ),
  prose('hands? free|free hands?|in whose hands|brings? home|brought home', 'free slots, claimed by, returns'),
  prose('for ever', 'forever, without limit'),
  prose('lately', 'recently'),
  prose(
    '(?:an?|the|its|their|no|any|each|every|first|last|late|earlier|same|other|next|whole|invalid|empty|expected|unexpected|without|of) answers?(?! (?:with|as|to|[0-9]))',
    'response',
  ),
  prose('by whichever|of whichever', 'by any'),
  prose(
    '(?:page|page s|start|canonical|webhook|feed) (?:address|addresses)|address of (?:a|the|its|each) (?:page|site)',
    'URL',
  ),
];

/** People. The relative pronoun "who" is kept for them. */
const PEOPLE =
  'users?|members?|people|persons?|customers?|operators?|owners?|admins?|administrators?|engineers?|newcomers?|readers?|authors?|attackers?|developers?|those|contributors?|maintainers?|reviewers?|visitors?|humans?|one';

/** "who" for a process, a service or a client. */
export const WHO: BannedWord = prose(
  `(?<!\\b(?:${PEOPLE}),? )who`,
  'the caller that, the client that, the instance that',
);
