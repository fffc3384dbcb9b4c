import { ROBOTS_TOKEN } from '@tidemark/egress/user-agent';
import type { HeadData } from '../head/read-head.ts';
import {
  type Attributes,
  collapseSpaces,
  type Element,
  Flag,
  isInside,
  NO_ATTRIBUTES,
  type Page,
  rawText,
  visibleLine,
} from '../tree/page-tree.ts';
import type { PageEvidence } from '../verdict/page-evidence.ts';
import { isEmptyBox, isEmptyMount, noscriptText } from './empty-boxes.ts';
import { isMissingTemplate } from './missing-template.ts';
import { ownSentences } from './own-sentences.ts';
import { shapeOf } from './page-shape.ts';
import { RepeatedBlocks } from './repeated-blocks.ts';
import {
  APP_ROOT_WORDS,
  HEADINGS_CAP,
  LONG_BODY,
  LONG_CONTENT,
  NAME_CHARS,
  OPENING_CHARS,
  PARAGRAPH_WORDS,
  SCRIPT_CHARS,
  SCRIPTS_CHARS_CAP,
} from './thresholds.ts';
import { findWallMarkers } from './wall-markers.ts';

/** Results of the other steps that evidence is derived from. */
export interface EvidenceInput {
  page: Page;
  head: HeadData;
  main: Element;
  contentWords: number;
  mainWords: number;
  htmlChars: number;
  doubts: string[];
}

const APP_ROOTS =
  /^(?:root|app|__next|__nuxt|___gatsby|svelte|react-root|application|app-root|main-app|app-container|ember-app|q-app|mount|react-app|appMountPoint|shell)$/;
/** https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill */
const ACCOUNT_FIELD = /\b(?:username|current-password|webauthn)\b/i;

/** Collects the evidence for the verdict in one walk over the whole tree. */
export function readEvidence(input: EvidenceInput): PageEvidence {
  const { page, head, main, contentWords, mainWords, htmlChars, doubts } = input;
  const collected = new EvidenceCollector();
  collected.visit(page.root);
  const opening = visibleLine(page.body, OPENING_CHARS);
  const isLong = mainWords >= LONG_CONTENT && page.body.words >= LONG_BODY;
  const evidence: PageEvidence = {
    ...collected.counts(),
    title: collected.title,
    heading: collected.headings[0] ?? '',
    headings: collected.headings,
    opening,
    ...(isLong ? {} : { sentences: ownSentences(page.body) }),
    missingTemplate: !isLong && isMissingTemplate(page.body),
    bodyWords: Math.round(page.body.words),
    contentWords: Math.round(contentWords),
    mainWords: Math.round(mainWords),
    doubts,
    noscriptText: collapseSpaces(collected.noscript).slice(0, 500),
    htmlChars,
    jsonLd: head.jsonLd.length > 0,
    openGraph: Object.keys(head.og).length > 0,
    canonical: head.canonical ?? '',
    robots: [head.robots ?? '', collected.ownRobots].filter((rules) => rules !== '').join(', '),
    emptyAppRoot: collected.appRoots.some((root) => root.words < APP_ROOT_WORDS),
    appRoot: collected.appRoots.length > 0,
    emptyMount: page.body.children.some((child) => typeof child !== 'string' && isEmptyMount(child)),
    emptyMain: collected.mains.length > 0 && collected.mains.every(isEmptyBox),
    loadingText: /^(?:loading|please wait|initiali[sz]ing|redirecting|just a (?:moment|second))/i.test(opening),
    formText: collapseSpaces(collected.formText).slice(0, 1_000),
    ...findWallMarkers(collected.scriptText, collected.names),
  };
  const shape = shapeOf(evidence, main);
  return shape ? { ...evidence, shape } : evidence;
}

/** Elements whose fields belong to the site, such as its own log-in box. */
const ASIDES = new Set(['aside', 'nav']);

class EvidenceCollector {
  title = '';
  readonly headings: string[] = [];
  noscript = '';
  scriptText = '';
  formText = '';
  /** Ids, classes and URLs of elements that may be widgets. */
  names = '';
  readonly appRoots: Element[] = [];
  readonly mains: Element[] = [];
  /** Content of a robots meta element that names this robot. */
  ownRobots = '';
  readonly #markerClasses = new Map<string, boolean>();
  #links = 0;
  #paragraphs = 0;
  #images = 0;
  #scripts = 0;
  #scriptChars = 0;
  #passwordFields = 0;
  #hiddenPasswordFields = 0;
  #accountFields = 0;
  #emailFields = 0;
  #textFields = 0;
  #forms = 0;
  #nav = false;
  #article = false;
  #footer = false;
  #metaRefresh = '';
  #frames = 0;
  #frameset = false;
  readonly #repeats = new RepeatedBlocks();
  #rows = 0;

  visit(element: Element, hiddenAbove = false): void {
    const hidden = hiddenAbove || (element.flags & Flag.notRendered) !== 0;
    this.#note(element, hidden);
    if (element.tag === 'noscript' && (element.flags & Flag.notRendered) !== 0) {
      this.noscript += ` ${noscriptText(element, 600)}`;
    }
    this.#repeats.countChildren(element);
    for (const child of element.children) if (typeof child !== 'string') this.visit(child, hidden);
  }

  counts() {
    return {
      links: this.#links,
      paragraphs: this.#paragraphs,
      images: this.#images,
      scripts: this.#scripts,
      scriptChars: this.#scriptChars,
      passwordFields: this.#passwordFields,
      hiddenPasswordFields: this.#hiddenPasswordFields,
      accountFields: this.#accountFields,
      emailFields: this.#emailFields,
      textFields: this.#textFields,
      forms: this.#forms,
      hasNav: this.#nav,
      hasMain: this.mains.length > 0,
      hasArticle: this.#article,
      hasFooter: this.#footer,
      metaRefresh: this.#metaRefresh,
      frames: this.#frames,
      frameset: this.#frameset,
      repeatedBlocks: this.#repeats.count,
      cardWords: Math.round(this.#repeats.words),
      tableRows: this.#rows,
    };
  }

  #note(element: Element, hidden: boolean): void {
    const { tag, attributes, flags } = element;
    if (attributes === NO_ATTRIBUTES) {
      if (tag === 'app-root' || tag === 'app-shell') this.appRoots.push(element);
      this.#count(element, hidden);
      return;
    }
    const { id, class: className } = attributes;
    if (id && this.names.length < NAME_CHARS) this.names += ` #${id}`;
    if (className && this.names.length < NAME_CHARS && this.#isMarkerClass(className)) this.names += ` .${className}`;
    if (attributes['data-sitekey'] !== undefined) this.names += ' data-sitekey';
    if (id && APP_ROOTS.test(id) && (flags & Flag.notRendered) === 0) this.appRoots.push(element);
    if (tag === 'app-root' || tag === 'app-shell') this.appRoots.push(element);
    this.#count(element, hidden);
  }

  /** True if a class name may belong to a bot wall. Cached per spelling. */
  #isMarkerClass(className: string): boolean {
    let isMarker = this.#markerClasses.get(className);
    if (isMarker === undefined) {
      isMarker = /captcha|turnstile|cf-|challenge|sitekey|px-|datadome|arkose/i.test(className);
      this.#markerClasses.set(className, isMarker);
    }
    return isMarker;
  }

  #count(element: Element, hidden: boolean): void {
    const { tag, attributes } = element;
    switch (tag) {
      case 'a':
        this.#link(attributes);
        break;
      case 'p':
        this.#paragraph(element);
        break;
      case 'img':
        this.#image(attributes);
        break;
      case 'script':
        this.#script(element);
        break;
      case 'iframe':
      case 'frame':
        this.#frame(attributes);
        break;
      case 'frameset':
        this.#frameset = true;
        break;
      case 'input':
      case 'button':
      case 'textarea':
        this.#control(element, hidden);
        break;
      case 'form':
        this.#form(element, hidden);
        break;
      case 'tr':
        this.#rows++;
        break;
      case 'meta':
        this.#meta(element);
        break;
      case 'title':
        this.#title(element);
        break;
      case 'h1':
      case 'h2':
        this.#heading(element);
        break;
      case 'nav':
        this.#nav = true;
        break;
      case 'main':
        this.mains.push(element);
        break;
      case 'article':
        this.#article = true;
        break;
      case 'footer':
        this.#footer = true;
        break;
    }
    const role = attributes['role'];
    if (role === 'navigation') this.#nav = true;
    else if (role === 'contentinfo') this.#footer = true;
    else if (role === 'main' && tag !== 'main') this.mains.push(element);
  }

  #link({ href }: Attributes): void {
    if (href !== undefined) this.#links++;
  }

  #paragraph({ words }: Element): void {
    if (words > PARAGRAPH_WORDS) this.#paragraphs++;
  }

  #control(element: Element, hidden: boolean): void {
    if (!hidden && !isInside(element, ASIDES)) this.#field(element);
    else if (hidden && element.attributes['type'] === 'password') this.#hiddenPasswordFields++;
  }

  #title(element: Element): void {
    if (this.title === '' && element.parent?.tag !== 'svg') this.title = collapseSpaces(rawText(element, 500));
  }

  #image({ src }: Attributes): void {
    this.#images++;
    // An Anubis page contains only its image and its script.
    if (src?.includes('/.within.website/') && this.names.length < NAME_CHARS) this.names += ` ${src.slice(0, 300)}`;
  }

  #heading(element: Element): void {
    if (this.headings.length >= HEADINGS_CAP) return;
    const text = (element.flags & Flag.notRendered) === 0 ? visibleLine(element, 200) : '';
    if (text !== '') this.headings.push(text);
  }

  #script(element: Element): void {
    this.#scripts++;
    const { src, id } = element.attributes;
    if (id) this.names += ` script#${id}`;
    if (src) this.scriptText += ` ${src.slice(0, 300)}`;
    const inline = rawText(element);
    this.#scriptChars += inline.length;
    if (this.scriptText.length < SCRIPTS_CHARS_CAP) this.scriptText += ` ${inline.slice(0, SCRIPT_CHARS)}`;
  }

  #field(element: Element): void {
    const { type, name, id, autocomplete, placeholder, value } = element.attributes;
    if (element.tag === 'button' || type === 'submit' || type === 'button') {
      this.formText += ` ${visibleLine(element, 60)} ${value?.slice(0, 60) ?? ''}`;
      return;
    }
    if (type === 'hidden') return;
    this.formText += ` ${placeholder?.slice(0, 60) ?? ''}`;
    if (ACCOUNT_FIELD.test(autocomplete ?? '')) this.#accountFields++;
    if (type === 'password') this.#passwordFields++;
    else if (type === 'email' || /user(?:name)?|login|e-?mail/i.test(`${name ?? ''} ${id ?? ''} ${autocomplete ?? ''}`))
      this.#emailFields++;
    else if (type === undefined || type === 'text' || type === 'tel' || element.tag === 'textarea') this.#textFields++;
  }

  #form(element: Element, hidden: boolean): void {
    if (hidden) return;
    this.#forms++;
    this.formText += ` ${element.attributes['action']?.slice(0, 200) ?? ''} ${element.attributes['id'] ?? ''}`;
  }

  #frame({ src, title }: Attributes): void {
    if (src) this.#frames++;
    if (this.names.length < NAME_CHARS)
      this.names += `\nframe:${src?.slice(0, 300) ?? ''} ${title?.slice(0, 100) ?? ''}\n`;
  }

  #meta({ attributes }: Element): void {
    const content = (attributes['content'] ?? '').slice(0, 500);
    if (attributes['name']?.toLowerCase() === ROBOTS_TOKEN.toLowerCase()) this.ownRobots = content;
    if (attributes['http-equiv']?.toLowerCase() === 'refresh') this.#metaRefresh = content;
  }
}
