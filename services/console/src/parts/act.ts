import { isPayable, sentenceOf } from './states.tsx';
import { notify } from './toast.tsx';

/** Runs a write and reports how it ended. @returns whether it succeeded */
export async function act(write: () => Promise<unknown>, done?: string, undo?: () => void): Promise<boolean> {
  try {
    await write();
    if (done !== undefined) notify(done, undo === undefined ? {} : { undo });
    return true;
  } catch (error) {
    notify(sentenceOf(error instanceof Error ? error : new Error(String(error))), {
      isBad: true,
      isPayable: isPayable(error),
    });
    return false;
  }
}
