import { z } from 'zod';
import type { Model, Prompt, Tokens } from './model.ts';

/** A request in the format of a provider. */
export interface ModelRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Protocol {
  buildRequest(model: Model, prompt: Prompt, maxTokens: number): ModelRequest;
  /** Returns the text of a response; undefined where it holds none. */
  readText(response: unknown): string | undefined;
  /** Returns the tokens that the provider counted; undefined where it reports none. */
  readTokens(response: unknown): Tokens | undefined;
}

/** More is no count of one response. */
const Count = z.int().min(0).max(10_000_000);
const ChatUsage = z.object({ usage: z.object({ prompt_tokens: Count, completion_tokens: Count }) });
const MessageUsage = z.object({ usage: z.object({ input_tokens: Count, output_tokens: Count }) });
const Completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1) });
const Message = z.object({ content: z.array(z.object({ type: z.string(), text: z.string().optional() })) });

/** Returns the messages of the conversation, beginning with the question. */
const conversation = ({ question, correction }: Prompt) => [
  { role: 'user', content: question },
  ...(correction === undefined
    ? []
    : [
        { role: 'assistant', content: correction.response },
        { role: 'user', content: correction.complaint },
      ]),
];

/** OpenAI chat completions. No tools are offered, so that a model can only return text. */
const openai: Protocol = {
  buildRequest: ({ baseUrl, model, apiKey }, prompt, maxTokens) => ({
    url: `${baseUrl}/chat/completions`,
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model,
      messages: [{ role: 'system', content: prompt.rules }, ...conversation(prompt)],
      max_completion_tokens: maxTokens,
      response_format: { type: 'json_object' },
    }),
  }),
  readText: (response) => Completion.safeParse(response).data?.choices[0]?.message.content,
  readTokens: (response) => {
    const { usage } = ChatUsage.safeParse(response).data ?? {};
    return usage && { input: usage.prompt_tokens, output: usage.completion_tokens };
  },
};

/** Anthropic messages. No tools are offered. */
const anthropic: Protocol = {
  buildRequest: ({ baseUrl, model, apiKey }, prompt, maxTokens) => ({
    url: `${baseUrl}/messages`,
    headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model,
      max_tokens: maxTokens,
      system: prompt.rules,
      messages: conversation(prompt),
    }),
  }),
  readText: (response) => {
    const texts = Message.safeParse(response).data?.content.filter(({ type }) => type === 'text') ?? [];
    return texts.length === 0 ? undefined : texts.map(({ text = '' }) => text).join('');
  },
  readTokens: (response) => {
    const { usage } = MessageUsage.safeParse(response).data ?? {};
    return usage && { input: usage.input_tokens, output: usage.output_tokens };
  },
};

/** The protocol of each provider. */
const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ['openai', openai],
  ['anthropic', anthropic],
]);

export const protocolOf = (provider: string): Protocol | undefined => PROTOCOLS.get(provider);
