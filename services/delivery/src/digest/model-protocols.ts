import { z } from 'zod';
import type { Prompt } from './change-prompt.ts';

/** Limit of tokens for providers that require one: twice the size of a digest. */
const MAX_TOKENS = 2_000;

/** A language model of a workspace's connection. */
export interface Model {
  readonly provider: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
}

/** A request in the format of a provider. */
export interface ModelRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Protocol {
  buildRequest(model: Model, prompt: Prompt): ModelRequest;
  /** Returns the text of a response; undefined where it holds none. */
  readText(response: unknown): string | undefined;
}

const Completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1) });
const Message = z.object({ content: z.array(z.object({ type: z.string(), text: z.string().optional() })) });

/** OpenAI chat completions. No tools are offered, so that a model can only return text. */
const openai: Protocol = {
  buildRequest: ({ baseUrl, model, apiKey }, { rules, question }) => ({
    url: `${baseUrl}/chat/completions`,
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: rules },
        { role: 'user', content: question },
      ],
      response_format: { type: 'json_object' },
    }),
  }),
  readText: (response) => Completion.safeParse(response).data?.choices[0]?.message.content,
};

/** Anthropic messages. No tools are offered. */
const anthropic: Protocol = {
  buildRequest: ({ baseUrl, model, apiKey }, { rules, question }) => ({
    url: `${baseUrl}/messages`,
    headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model,
      max_tokens: MAX_TOKENS,
      system: rules,
      messages: [{ role: 'user', content: question }],
    }),
  }),
  readText: (response) => {
    const texts = Message.safeParse(response).data?.content.filter(({ type }) => type === 'text') ?? [];
    return texts.length === 0 ? undefined : texts.map(({ text = '' }) => text).join('');
  },
};

/** The protocol of each provider. */
const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ['openai', openai],
  ['anthropic', anthropic],
]);

export const protocolOf = (provider: string): Protocol | undefined => PROTOCOLS.get(provider);
