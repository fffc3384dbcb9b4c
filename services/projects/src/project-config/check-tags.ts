import { AppError } from '@tidemark/errors';
import { isTag, MAX_TAGS, TAG_RULE } from '@tidemark/project-config';

/** Returns the tags of a project as they are stored: in Unicode form C, sorted, each once. @throws AppError validation */
export function checkTags(tags: readonly string[]): string[] {
  const distinct = [...new Set(tags.map((tag) => checkTag(tag, 'tags')))].sort();
  if (distinct.length <= MAX_TAGS) return distinct;
  throw refused('tags', `expected at most ${MAX_TAGS}`);
}

/** Returns a tag in Unicode form C; `field` names it in the error. @throws AppError validation */
export function checkTag(tag: string, field: 'tag' | 'tags'): string {
  const composed = tag.normalize('NFC');
  if (isTag(composed)) return composed;
  throw refused(field, TAG_RULE);
}

const refused = (field: string, msg: string): AppError =>
  new AppError('validation', `${field}: ${msg}`, { detail: [{ loc: ['body', field], msg, type: 'tag_refused' }] });
