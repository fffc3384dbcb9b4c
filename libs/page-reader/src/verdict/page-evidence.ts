/** A sentence of a page's own text: no heading, site chrome or label of a field. */
export interface OwnSentence {
  text: string;
  words: number;
  /** `link`: its line is link text only. `menu`: links of a word or two each. */
  kind: 'text' | 'link' | 'menu';
}

/** Features of a page's markup that the classification uses. JSON-safe, so that it can be stored and replayed. */
export interface PageEvidence {
  title: string;
  /** The first heading, and up to ten headings of levels one and two. */
  heading: string;
  headings: string[];
  /** The first visible words of the body, on one line. */
  opening: string;
  /** The first sentences of the page's own text. Absent for a long page, which is classified by its length. */
  sentences?: OwnSentence[];
  /** True if the body or a box around its content is named as the template of a missing page, such as `error-404`. */
  missingTemplate: boolean;
  /** Visible words of the body, of the body without site chrome, and of the main content. */
  bodyWords: number;
  contentWords: number;
  mainWords: number;
  /** Signals that disagree with the choice of the main content. */
  doubts: string[];
  noscriptText: string;
  links: number;
  paragraphs: number;
  images: number;
  scripts: number;
  scriptChars: number;
  htmlChars: number;
  hasNav: boolean;
  hasMain: boolean;
  hasArticle: boolean;
  hasFooter: boolean;
  jsonLd: boolean;
  openGraph: boolean;
  canonical: string;
  robots: string;
  /** True if an element where a script application mounts, such as `#root`, is (nearly) empty. */
  emptyAppRoot: boolean;
  appRoot: boolean;
  /** True if an empty box with an id, or an empty custom element, is a child of the body. */
  emptyMount: boolean;
  /** True if the page has a main element, and all of them are empty. */
  emptyMain: boolean;
  loadingText: boolean;
  passwordFields: number;
  /** Password fields that are hidden until a first step is done. */
  hiddenPasswordFields: number;
  /** Fields that browsers fill with the name of an account. */
  accountFields: number;
  emailFields: number;
  textFields: number;
  forms: number;
  /** Labels of fields and buttons and targets of forms, on one line. */
  formText: string;
  /** Captcha or challenge widgets in the markup, such as `recaptcha`. */
  widgets: string[];
  /** Bot walls recognised in scripts and markup, such as `cloudflare challenge`. */
  walls: string[];
  /** Content of a meta refresh; empty if there is none. */
  metaRefresh: string;
  /** Frames with a source; whether the page is a frameset. */
  frames: number;
  frameset: boolean;
  /** True if markers of a domain parking service were found. */
  parked: boolean;
  /** Size of the largest group of similar siblings. */
  repeatedBlocks: number;
  tableRows: number;
  cardWords: number;
  shape?: 'listing' | 'table' | 'form' | 'empty';
}
