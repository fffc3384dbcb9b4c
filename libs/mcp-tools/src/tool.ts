import type { Tidemark } from '@tidemark/sdk';
import type { z } from 'zod';

/** What a connection may do. read: stored data only. */
export type Access = 'read' | 'write';

/** What the handler of a tool works with. */
export interface ToolContext {
  readonly client: Tidemark;
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Sends a progress notification, if the client requested them. */
  progress(done: number, total: number): Promise<void>;
}

/** The result of a tool, sent as structured content and as the same JSON in text. */
export type ToolResult = Readonly<Record<string, unknown>>;

/** reads: stored data; captures: fetches pages and costs credits; edits: changes projects. */
export type ToolKind = 'reads' | 'captures' | 'edits';

/** One tool: its parameters, its description and its handler. */
export interface Tool {
  readonly name: string;
  readonly kind: ToolKind;
  /** Whether a repeated call with the same arguments has no further effect. */
  readonly isIdempotent: boolean;
  readonly description: string;
  readonly input: z.ZodType;
  /** Schema of the result. Results are not checked when they are sent; tests compare them. */
  readonly output: z.ZodType;
  /** Checks the arguments and runs the tool. @throws z.ZodError, TidemarkError */
  run(args: unknown, context: ToolContext): Promise<ToolResult>;
}

interface Definition<S extends z.ZodType> {
  readonly kind: ToolKind;
  readonly isIdempotent?: boolean;
  readonly description: string;
  readonly input: S;
  readonly output: z.ZodType;
  readonly run: (args: z.output<S>, context: ToolContext) => Promise<ToolResult>;
}

/** Binds the handler of a tool to the type of its parameters. */
export function tool<S extends z.ZodType>(name: string, definition: Definition<S>): Tool {
  const { kind, isIdempotent = kind === 'reads', description, input, output, run } = definition;
  return {
    name,
    kind,
    isIdempotent,
    description,
    input,
    output,
    run: (args, context) => run(input.parse(args), context),
  };
}
