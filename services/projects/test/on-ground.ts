import { type Ground, layGround } from '@tidemark/testkit';

/** Lays the ground and opens something on it; where that fails nothing of it stays open. */
export async function openOnGround<T>(open: (ground: Ground) => Promise<T>): Promise<T> {
  const ground = await layGround();
  try {
    return await open(ground);
  } catch (error) {
    await ground.close();
    throw error;
  }
}
