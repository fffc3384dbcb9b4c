export type Kind = 'bench' | 'eval';

/** One benchmark or evaluation: `benches/<name>.ts` or `evals/<name>.ts`. */
export interface Entry {
  /** One line for the list and for README's table. */
  readonly measures: string;
  /** Its options, one a line; absent where the file prints its own `--help`. */
  readonly options?: readonly string[];
}

const NO_OPTIONS: readonly string[] = [];
const TIDEMARK = '--tidemark    only Tidemark, without the other tools';

/** What `npm run bench` and `npm run eval` can run, by name. */
export const CATALOG: Readonly<Record<Kind, Readonly<Record<string, Entry>>>> = {
  bench: {
    scrape: { measures: 'one page through the whole fleet, next to the same pipeline in bare processes' },
    browser: {
      measures: 'pages/s of browser-pool, next to plain puppeteer',
      options: ['BENCH_ROUNDS=5   rounds (environment)', 'BENCH_SECONDS=6  seconds of a round (environment)'],
    },
    extract: {
      measures: 'CPU ms a page of the reading step, next to Readability, Defuddle and mdream',
      options: ['--rounds 8   readings of each page', TIDEMARK],
    },
    cut: { measures: 'what cutting a page into blocks adds to reading it', options: NO_OPTIONS },
    bodies: {
      measures: 'storing and reading bodies in segments, next to LMDB, SQLite and a file per body',
      options: ['BENCH_BODIES=4000   bodies (environment)'],
    },
    selectors: { measures: 'stored pages/s that selectors are tried on', options: NO_OPTIONS },
    crawl: { measures: 'a site of thousands of pages: speed, cost, memory, rate limits, recrawl, next to Crawlee' },
    rows: {
      measures: 'rows/s of a crawl with bodies, as one stream of lines and as lists in JSON',
      options: ['--pages 3000   pages of the site', '--runs 3       runs of each form'],
    },
    frontier: { measures: 'adding a million URLs to a run, and claiming pages of four kinds of frontier' },
    ladder: { measures: 'browser runs on mixed plain and script-built pages, next to Crawlee’s adaptive crawler' },
    'scale-out': { measures: 'pages/s with one scrape process and with two' },
    polite: { measures: 'concurrency and gaps that a site sees, next to the crawl’s settings' },
    'memory-limit': { measures: 'more work than fits into the memory of the embedded default' },
    fairness: { measures: 'p95 of a small page alone, and beside two heavy workspaces' },
    exits: { measures: 'fetches directly, through an exit, and through an exit leased from browser-pool' },
    map: { measures: '47,000 URLs of a sitemap tree, next to sitemapper' },
    archive: { measures: 'a million stored rows: writes, lists, the query language, words, selectors' },
    history: {
      measures: 'versions of a page and its reading at a time in 200 runs; when its texts appeared, over 200 versions',
    },
    diff: { measures: 'the change record of a run of 10,000 pages; hostile pairs and their time cap' },
    rest: {
      measures: 'CPU of the gateway a request: documentation, random hosts, compressed JSON',
      options: NO_OPTIONS,
    },
    firecrawl: {
      measures: 'CPU of the gateway a request of Firecrawl’s interface, next to the route that it calls',
      options: NO_OPTIONS,
    },
    'request-log': {
      measures: 'what the request log costs: a request in the gateway, and its row in PostgreSQL',
      options: NO_OPTIONS,
    },
    'grpc-auth': {
      measures: 'what the credential of a gRPC call costs, with and without mutual TLS',
      options: NO_OPTIONS,
    },
    enumeration: {
      measures:
        'whether the time of a response reveals that an address has an account: Welch’s t over 1,000 requests a side',
      options: [
        '[request ...]        logIn, requestReset, signUp, createInvite',
        'BENCH_SAMPLES=1000   requests a side (environment)',
      ],
    },
    'sign-in': {
      measures: 'time of password hashes, sign-ins/s, CPU of authenticating a cached key or session',
      options: NO_OPTIONS,
    },
    'sub-accounts': {
      measures: 'requests/s with x-service-tenant, next to those without; leases/s of a workspace and of sub-accounts',
      options: ['BENCH_SECONDS=5   seconds of each load (environment)'],
    },
    cli: {
      measures: 'start of the command line: version, help, first response of the API',
      options: NO_OPTIONS,
    },
    sdk: {
      measures:
        'a crawl of 5,000 pages followed through the SDK, stopped and continued: memory, missing and repeated rows',
      options: NO_OPTIONS,
    },
    export: { measures: 'downloads by format and syncs to destinations, next to the same rows or bytes written alone' },
    delivery: { measures: '10,000 messages to 50 receivers, two of them dead and one slow' },
    soak: { measures: 'memory of every process and unexpected responses under minutes of mixed load' },
  },
  eval: {
    extract: {
      measures: 'extracted content of labelled pages, next to Readability, Defuddle and others',
      options: [
        '[set ...]    articles, wcxb, segments, multilingual, readability, defuddle',
        TIDEMARK,
        '--save FILE     stores our figures; --against FILE compares with stored ones',
      ],
    },
    content: {
      measures: 'scores and CPU time of the content pipeline alone, set by set',
      options: ['[set ...]    only these sets', 'WORST=40     prints the worst pages (environment)'],
    },
    'site-blocks': {
      measures: 'content of sites with and without the blocks that repeat over their pages',
      options: NO_OPTIONS,
    },
    markdown: { measures: 'markdown of labelled fragments and pages, next to other converters', options: [TIDEMARK] },
    verdict: {
      measures: 'verdicts on labelled pages, cases and generated titles: confusion matrix and every miss',
      options: NO_OPTIONS,
    },
    products: {
      measures: 'price, availability and numbers of labelled product pages, and products found on pages of other types',
      options: ['--misses first|second|all    prints the misses on a half of the sites, or on all'],
    },
    robots: { measures: 'robots.txt cases of other parsers: every miss', options: NO_OPTIONS },
    conformance: {
      measures: 'HTML, URLs, sitemaps, feeds and cleaned markup on the test suites of others: every miss',
      options: NO_OPTIONS,
    },
    zoo: { measures: 'thirty hostile and odd pages through the whole fleet', options: NO_OPTIONS },
    changes: {
      measures: 'changes found in labelled pairs of real pages and series of real sites',
      options: NO_OPTIONS,
    },
    'changes-site': {
      measures:
        'change records of whole runs: edits within a minute after the first run, generations of a test site, and lucene.apache.org',
    },
    coverage: {
      measures:
        'the estimated number of pages of a site: generated sites of known size, and the test site over the API',
    },
    'content-rules': {
      measures: 'what each rule of the main content adds to the mean over the folds',
      options: ['[set ...]    articles, wcxb, segments, multilingual'],
    },
    thresholds: {
      measures: 'what half and double the value of each threshold of the page reader changes',
      options: [
        '[stage ...]   page, tree, head, filters, landmarks, main, markdown, product, blocks, evidence, verdict',
        '--sample 8    reads one page of as many',
        '--part 1/2    measures every second threshold: one of two processes',
        '--write       writes the effects to the tables of the stages',
      ],
    },
    'coverage-of-blocks': {
      measures: 'words of the extracted text that no comparison covers',
      options: ['--worst 20   pages listed, those that miss most first'],
    },
    selectors: { measures: 'repairs suggested for selectors that broke on real pages', options: NO_OPTIONS },
  },
};

/** The names of one kind, a line each. */
export function listText(kind: Kind): string {
  const entries = Object.entries(CATALOG[kind]);
  const width = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.map(([name, { measures }]) => `  ${name.padEnd(width)}  ${measures}`);
  return [`npm run ${kind} -- <name> [options]      npm run ${kind} -- <name> --help`, '', ...lines].join('\n');
}

/** The help of an entry that prints none itself. */
export const helpText = (kind: Kind, name: string, { measures, options = NO_OPTIONS }: Entry): string =>
  [
    `npm run ${kind} -- ${name}${options.length === 0 ? '' : ' [options]'}`,
    '',
    measures,
    ...options.map((line) => `  ${line}`),
  ].join('\n');
