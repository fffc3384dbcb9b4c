export type { Model, Prompt, Tokens } from './model.ts';
export { parseCompletion } from './parse-completion.ts';
export {
  type CompletionFailure,
  type CompletionLimits,
  type ModelReply,
  makeRequestCompletion,
  type RequestCompletion,
} from './request-completion.ts';
export { openModel, sealModel } from './sealed-model.ts';
export { SlowModels } from './slow-models.ts';
