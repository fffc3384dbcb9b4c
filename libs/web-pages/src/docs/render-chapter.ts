import { type Html, html, type Part } from '@tidemark/html';
import { CHAPTERS, type ChapterId } from './docs-links.ts';

/** Renders one chapter: text next to examples. */
export const chapter = (id: ChapterId, about: Part, example?: Part): Html => {
  const title = CHAPTERS.find((one) => one.id === id)?.title;
  return html`<section class="route chapter" id="${id}"><div class="about"><h2><a href="#${id}">${title}</a></h2>${about}</div>${
    example === undefined ? undefined : html`<div class="example">${example}</div>`
  }</section>`;
};
