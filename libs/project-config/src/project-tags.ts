/** Most tags of one project. */
export const MAX_TAGS = 20;

const TAG = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._/:-]{0,48}[\p{L}\p{M}\p{N}])?$/u;

/** What `isTag` accepts, for messages. */
export const TAG_RULE = 'expected 1 to 50 letters, digits, spaces and . _ / : -, with a letter or digit at both ends';

/** Returns whether a text in Unicode form C is a tag of a project. A tag has no comma: lists of tags are separated by commas. */
export const isTag = (text: string): boolean => TAG.test(text);
