/** The words of an enum of messages, without the value of an absent field. */
export type WordsOf<Word extends string> = Exclude<Word, 'unspecified'>;

const isWord = <Word extends string>(word: Word): word is WordsOf<Word> => word !== 'unspecified';

/** Lists the words of an enum of messages in the order of their numbers. */
export const wordsOf = <Word extends string>(values: Readonly<Record<string, Word>>): WordsOf<Word>[] =>
  Object.values(values).filter(isWord);
