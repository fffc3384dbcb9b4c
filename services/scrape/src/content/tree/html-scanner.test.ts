import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { HtmlScanner, type TokenSink } from './html-scanner.ts';
import { KEPT_ATTRIBUTES } from './tag-rules.ts';

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
    text: (text) => events.text(text),
    open: ({ name }, attributes, closed) => events.add(startOf(name, attributes, closed)),
    close: ({ name }) => events.add(`</${name}>`),
  };
  new HtmlScanner(html, sink, false).scan();
  return events.all();
}

/** Tokenizes with the reference tokenizer, htmlparser2's, which reads every character. */
function tokenized(html: string): string[] {
  const events = new Events();
  let [tag, name, value] = ['', '', ''];
  let attributes: Record<string, string> = {};
  const ignore = (): void => {};
  const slice = (start: number, end: number): string => html.slice(start, end);
  const callbacks: TokenizerCallbacks = {
    // After an unfinished end tag the reference tokenizer reports a text with a negative start.
    ontext: (start, end) => (start < 0 ? undefined : events.text(slice(start, end))),
    ontextentity: (code) => events.text(String.fromCodePoint(code)),
    onopentagname: (start, end) => {
      tag = slice(start, end).toLowerCase();
      attributes = {};
    },
    onattribname: (start, end) => {
      name = slice(start, end).toLowerCase();
      value = '';
    },
    onattribdata: (start, end) => {
      value += slice(start, end);
    },
    onattribentity: (code) => {
      value += String.fromCodePoint(code);
    },
    onattribend: () => {
      if (KEPT_ATTRIBUTES.has(name)) attributes[name] ??= value;
    },
    onopentagend: () => events.add(startOf(tag, attributes, false)),
    onselfclosingtag: () => events.add(startOf(tag, attributes, true)),
    onclosetag: (start, end) => events.add(`</${slice(start, end).toLowerCase()}>`),
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  };
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
  return events.all();
}

const PARTS = (
  '< </ > / = " \' & ; # - -- ! --> --!> <!-- <!--> <!---> <! <? <!doctype [ ] a A b div DIV p br title TITLE script style ' +
  'textarea plaintext xmp iframe noframes svg </script </script> </title> </div> <p> <a <A href= href title= class= id="x" ' +
  "id='y' alt=z &amp; &amp &lt &notit; &copy &#65; &#x41 &#0; &#xD800; x 1 é 😀 \u0000"
)
  .split(' ')
  .concat([' ', '\n', '\t', '\f', '\r']);

/** Deterministic pseudo-random numbers. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe('HtmlScanner', () => {
  it("emits the same tokens as htmlparser2's tokenizer for 30,000 broken pages", () => {
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
