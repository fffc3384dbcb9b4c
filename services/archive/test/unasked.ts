import { AppError } from '@tidemark/errors';
import { type BoundMethod, handle } from '@tidemark/service';

const refuse = (): never => {
  throw new AppError('internal', 'a fake answers only what the archive asks');
};

/** A method of a fake that nobody is to call, and so neither reads nor writes. */
export const unasked = (path: string): BoundMethod =>
  handle<unknown, never>(
    {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: refuse,
      requestDeserialize: () => undefined,
      responseSerialize: refuse,
      responseDeserialize: refuse,
    },
    async () => refuse(),
  );
