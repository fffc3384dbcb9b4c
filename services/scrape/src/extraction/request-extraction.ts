import type { ExtractionFailure } from '@tidemark/contracts/page/v1/page';
import { checkSchema, type JsonSchema, type Mismatch, validateJson } from '@tidemark/json-schema';
import {
  type CompletionFailure,
  type Model,
  type Prompt,
  parseCompletion,
  type RequestCompletion,
  type Tokens,
} from '@tidemark/models';
import { correctionPrompt } from './extraction-prompt.ts';

export type ExtractionResult = { readonly tokens: Tokens } & (
  | { readonly valueJson: string }
  | {
      readonly errorCode: ExtractionFailure;
      readonly error: string;
      /** Why the model has not answered; absent if it has. */
      readonly failure?: CompletionFailure;
    }
);

/** Tokens of one response. */
const MAX_RESPONSE_TOKENS = 8_000;
/** Characters per token, at most few: texts have 2 to 5. */
const CHARS_PER_TOKEN = 2;
const MAX_VALUE_CHARS = 32_000;
const MAX_VALUE_DEPTH = 32;

/** One page to extract from. */
export interface ModelCall {
  readonly model: Model;
  readonly prompt: Prompt;
  readonly schemaJson: string;
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

/** Returns the tokens that an extraction can use at most: its first call, and the one that corrects its response. */
export const mostTokensOf = ({ rules, question }: Prompt): number =>
  2 * Math.ceil((rules.length + question.length) / CHARS_PER_TOKEN) + 3 * MAX_RESPONSE_TOKENS;

/**
 * Calls a model for values by a schema; once more with the mismatches if its response does not match. Both calls share the time. Never rejects for
 * a failure of the model.
 */
export type RequestExtraction = (call: ModelCall) => Promise<ExtractionResult>;

export function makeRequestExtraction(requestCompletion: RequestCompletion): RequestExtraction {
  return async ({ model, prompt, schemaJson, withinMs, signal }) => {
    const endsAtMs = performance.now() + withinMs;
    const checked = checkSchema(JSON.parse(schemaJson));
    let tokens: Tokens = { input: 0, output: 0 };
    if ('fault' in checked)
      return { tokens, errorCode: 'invalid', error: `the schema is invalid: ${checked.fault.message}` };
    let next = prompt;
    let mismatches: readonly Mismatch[] = [];
    for (const isLast of [false, true]) {
      const leftMs = Math.max(1, endsAtMs - performance.now());
      const reply = await requestCompletion(model, next, { withinMs: leftMs, maxTokens: MAX_RESPONSE_TOKENS, signal });
      tokens = sum(tokens, reply.tokens);
      if ('why' in reply) return { tokens, ...failureOf(reply) };
      const value = readValue(reply.text, checked.schema);
      if ('valueJson' in value) return { tokens, valueJson: value.valueJson };
      mismatches = value.mismatches;
      if (!isLast) next = correctionPrompt(prompt, reply.text, mismatches);
    }
    const [first] = mismatches.map(
      ({ path, message }) => `${path.length === 0 ? 'the response' : path.join('.')}: ${message}`,
    );
    return { tokens, errorCode: 'invalid', error: `the model’s response does not match the schema: ${first}` };
  };
}

const sum = (one: Tokens, other: Tokens = { input: 0, output: 0 }): Tokens => ({
  input: one.input + other.input,
  output: one.output + other.output,
});

const CODE_OF: Readonly<Record<CompletionFailure['failure'], ExtractionFailure>> = {
  late: 'timeout',
  refused: 'refused',
  busy: 'unavailable',
  unusable: 'unavailable',
};

const failureOf = ({ why, ...failure }: { readonly why: string } & CompletionFailure) => ({
  errorCode: CODE_OF[failure.failure],
  error: why,
  failure,
});

/** Parses and validates a response. */
function readValue(
  text: string,
  schema: JsonSchema,
): { readonly valueJson: string } | { readonly mismatches: readonly Mismatch[] } {
  const refuse = (message: string) => ({ mismatches: [{ path: [], message }] });
  const value = parseCompletion(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('expected one JSON object');
  if (!nestsAtMost(value, MAX_VALUE_DEPTH)) return refuse(`expected at most ${MAX_VALUE_DEPTH} levels`);
  const valueJson = JSON.stringify(value).toWellFormed().replaceAll('\\u0000', '');
  if (valueJson.length > MAX_VALUE_CHARS) return refuse(`expected at most ${MAX_VALUE_CHARS} characters`);
  const result = validateJson(schema, value);
  if (result === 'valid') return { valueJson };
  return result === 'limit'
    ? refuse('the response is too large to validate against this schema')
    : { mismatches: result };
}

/** The recursion is bounded by the same depth. */
const nestsAtMost = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((part) => nestsAtMost(part, depth - 1)));
