/** The words of one enum of messages and their numbers, which are consecutive. */
export class WordEnum<Word extends string | number> {
  readonly #name: string;
  readonly #first: number;
  readonly #words: readonly Word[];

  constructor(name: string, first: number, words: readonly Word[]) {
    this.#name = name;
    this.#first = first;
    this.#words = words;
  }

  /** Returns the word of a number of a message, or of its form in JSON. @throws RangeError if the enum has no such word */
  read(value: Word | number): Word {
    const index = typeof value === 'number' ? value - this.#first : this.#words.indexOf(value);
    const word = this.#words[index];
    if (word === undefined) throw new RangeError(`${this.#name} has no value ${value}`);
    return word;
  }

  /** Returns the number of a word in messages. @throws RangeError if the enum has no such word */
  numberOf(word: Word): number {
    const index = this.#words.indexOf(word);
    if (index === -1) throw new RangeError(`${this.#name} has no value ${word}`);
    return index + this.#first;
  }
}

/** Refuses a message that lacks the value of an enum. @throws RangeError always */
export function absent(field: string): never {
  throw new RangeError(`a message has no ${field}`);
}

/** Stands for an enum that a new message does not have yet; decoding and the types of messages require one. */
export function unset(): never {
  return undefined as never;
}

/** The fields of a message that are an enum and not optional: they are given where a message is made from some of its fields. */
export type StateKeys<Message> = {
  [Key in keyof Message]-?: Message[Key] extends string ? (string extends Message[Key] ? never : Key) : never;
}[keyof Message];
