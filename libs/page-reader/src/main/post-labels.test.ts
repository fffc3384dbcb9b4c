import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const POSTING = '<script type="application/ld+json">{"@type":"DiscussionForumPosting","headline":"Ferry"}</script>';

const textOf = (body: string): string =>
  readPage({
    html: `<html><head><title>Ferry</title>${POSTING}</head><body>${body}</body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

const SUBJECTS = ['ferry', 'pilot', 'barge', 'tug'];
const sentence = (subject: string): string =>
  `The ${subject} left the northern quay at seven, and its crew counted forty passengers before noon.`;

/** Each post holds its replies, as in a tree of comments. */
const nested = (subjects: readonly string[], textOfPost: (subject: string) => string): string => {
  const [subject, ...rest] = subjects;
  if (subject === undefined) return '';
  return `<div class="post"><div class="by">BY${subject} - some years ago | parent | link</div>${textOfPost(subject)}${nested(rest, textOfPost)}</div>`;
};

describe('labels of one make in a conversation', () => {
  it('are left out of posts that are nested in each other', () => {
    const text = textOf(`<main><h1>Ferry</h1>${nested(SUBJECTS, (subject) => `<p>${sentence(subject)}</p>`)}</main>`);
    expect(text).not.toMatch(/BY(?:ferry|pilot|barge|tug)/);
    expect(text).toContain('The tug left');
  });

  it('do not include short replies that have the make of longer ones', () => {
    const replies = ['Agreed with that', 'Same here today', 'Thanks a lot', sentence('ketch')];
    const posts = replies.map((reply) => `<div class="post"><div class="said">${reply}</div></div>`).join('');
    const text = textOf(
      `<main><h1>Ferry</h1>${nested(SUBJECTS, (subject) => `<p>${sentence(subject)}</p>`)}<section>${posts}</section></main>`,
    );
    expect(text).toContain('Thanks a lot');
    expect(text).toContain('The ketch left');
  });

  it('do not include short points of a list', () => {
    const points = ['New paint', 'Two engines', 'Four cabins'].map((point) => `<li class="x">${point}</li>`).join('');
    const text = textOf(
      `<main><h1>Ferry</h1>${nested(SUBJECTS, (subject) => `<p>${sentence(subject)}</p>`)}<div class="post"><ul>${points}</ul><p>${sentence('yawl')}</p></div></main>`,
    );
    expect(text).toContain('Two engines');
  });
});
