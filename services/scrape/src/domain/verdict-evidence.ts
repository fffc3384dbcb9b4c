/** What a page's markup shows that a verdict is drawn from. Plain and JSON-safe, so that it can be stored and replayed. */
export interface PageEvidence {
  title: string;
  /** The first heading, and up to ten headings of level one and two. */
  heading: string;
  headings: string[];
  /** The first visible words of the body and of the main content, on one line. */
  opening: string;
  /** Visible words of the whole body; of the body without site chrome; of the chosen main content. */
  bodyWords: number;
  contentWords: number;
  mainWords: number;
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
  /** An element where a script application mounts, such as `#root`, with (nearly) nothing in it. */
  emptyAppRoot: boolean;
  appRoot: boolean;
  loadingText: boolean;
  passwordFields: number;
  emailFields: number;
  textFields: number;
  forms: number;
  /** Text and targets of the forms' submit buttons and headings, on one line. */
  formText: string;
  /** Captcha or challenge widgets in the markup, such as `recaptcha`. */
  widgets: string[];
  /** Marks of bot walls in scripts and markup, such as `cloudflare challenge`. */
  walls: string[];
  /** Where a meta refresh leads, empty where there is none. */
  metaRefresh: string;
  /** Frames with a source of their own; whether they are the page. */
  frames: number;
  frameset: boolean;
  /** Marks of a domain parking service. */
  parked: boolean;
  /** The largest group of alike sibling blocks. */
  repeatedBlocks: number;
  tableRows: number;
  cardWords: number;
  shape?: 'listing' | 'table' | 'form' | 'empty';
}
