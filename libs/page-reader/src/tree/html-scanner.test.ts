import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { type Token, Tokenizer, TokenizerMode } from 'parse5';
import { HtmlScanner, type TokenSink } from './html-scanner.ts';
import { KEPT_ATTRIBUTES } from './kept-attributes.ts';

/** Collects tokenizer events, one line per event; adjacent texts are joined. */
class Events {
  readonly #lines: string[] = [];
  #text = '';

  text(text: string): void {
    this.#text += text;
  }

  add(line: string): void {
    if (this.#text !== '') this.#lines.push(`text ${JSON.stringify(this.#text)}`);
    this.#text = '';
    this.#lines.push(line);
  }

  all(): string[] {
    this.add('end');
    return this.#lines;
  }
}

const startOf = (tag: string, attributes: object | undefined, closed: boolean): string =>
  `<${tag} ${JSON.stringify(Object.entries(attributes ?? {}))}${closed ? '/' : ''}>`;

function scanned(html: string): string[] {
  const events = new Events();
  const sink: TokenSink = {
    isForeign: false,
    allowsCdata: false,
    noscript: (markup) => events.text(markup),
    text: (text) => events.text(text),
    open: ({ name }, attributes, closed) => events.add(startOf(name, attributes, closed)),
    close: ({ name }) => events.add(`</${name}>`),
  };
  new HtmlScanner(html, sink, false).scan();
  return events.all();
}

const RAW_MODES: Readonly<Record<string, number>> = {
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  noscript: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  plaintext: TokenizerMode.PLAINTEXT,
};

/** Tokenizes with the tokenizer of parse5, which follows the standard. */
function tokenized(html: string): string[] {
  const events = new Events();
  const ignore = (): void => {};
  const onText = ({ chars }: Token.CharacterToken): void => events.text(chars);
  const tokenizer: Tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag: ({ tagName, attrs, selfClosing }) => {
        const kept = attrs.filter(({ name }) => KEPT_ATTRIBUTES.has(name));
        events.add(startOf(tagName, Object.fromEntries(kept.map(({ name, value }) => [name, value])), selfClosing));
        tokenizer.state = RAW_MODES[tagName] ?? TokenizerMode.DATA;
      },
      onEndTag: ({ tagName }) => events.add(`</${tagName}>`),
      onCharacter: onText,
      onNullCharacter: onText,
      onWhitespaceCharacter: onText,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
  );
  tokenizer.write(html, true);
  return events.all();
}

// NUL is left out: the standard replaces it in names and attributes, which changes no text.
const PARTS = (
  '< </ > / = " \' & ; # - -- ! --> --!> <!-- <!--> <!---> <! <? <!doctype [ ] a A b div DIV p br title TITLE script style ' +
  'textarea plaintext xmp iframe noframes noscript svg </script </script> </title> </div> <p> <a <A href= href title= class= id="x" ' +
  "id='y' alt=z &amp; &amp &lt &notit; &copy &#65; &#x41 &#0; &#xD800; x 1 é 😀"
)
  .split(' ')
  .concat([' ', '\n', '\t', '\f']);

/** Deterministic pseudo-random numbers. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe('HtmlScanner', () => {
  it('emits the tokens of the standard, as parse5 reads them, for 30,000 broken pages', () => {
    const random = numbers(7);
    const next = (below: number): number => Math.floor((random.next().value ?? 0) * below);
    for (let page = 0; page < 30_000; page++) {
      const html = `${Array.from({ length: 2 + next(14) }, () => PARTS[next(PARTS.length)]).join('')}>`;
      expect({ html, events: scanned(html) }).toEqual({ html, events: tokenized(html) });
    }
  });

  it('drops a start tag cut off by the end of the page, and keeps a `<` that starts no tag as text', () => {
    expect(scanned('a < b <')).toEqual(['text "a < b <"', 'end']);
    expect(scanned('text<a href="x')).toEqual(['text "text"', 'end']);
    expect(scanned('text</a')).toEqual(['text "text"', 'end']);
  });

  it('takes linear time on pages that leave tags, comments and quotes open', () => {
    const cpuMs = countCpuMs();
    for (const part of ['<!--', '<!-- --', '<a "', "<a b='", '</', '<script></', '<title>&', '<', '<!', 'a=', '<x/'])
      scanned(part.repeat(100_000));
    expect(cpuMs()).toBeLessThan(5_000);
  });
});
