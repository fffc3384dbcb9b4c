import { Html } from '@tidemark/html';
import { built } from '../built.ts';

/** The only style sheet of the page. It is inline, allowed by its hash. */
export const DOCS_STYLE = new Html(built('docs.css'));
