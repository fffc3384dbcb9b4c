import { AppError } from '@tidemark/errors';

const isSpecified = <Word extends string | undefined>(word: Word): word is Exclude<Word, 'unspecified'> =>
  word !== 'unspecified';

/**
 * Returns the word of an enum in a message; undefined for an optional field that is absent. Unknown words are refused when the message
 * is decoded. @throws AppError internal if the sender did not set the field
 */
export function specified<Word extends string | undefined>(word: Word): Exclude<Word, 'unspecified'> {
  if (!isSpecified(word)) throw new AppError('internal', 'a message lacks the value of an enum');
  return word;
}
