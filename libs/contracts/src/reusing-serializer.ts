import { BinaryWriter } from '@bufbuild/protobuf/wire';

interface Codec<Message> {
  encode(message: Message, writer?: BinaryWriter): BinaryWriter;
}

/** Largest message whose buffer is kept for the next one, bytes. */
const MAX_KEPT = 4 * 1024 * 1024;

/**
 * Returns a serializer of large messages that writes each into the buffer of the one before. The generated ones let a buffer grow from 128
 * bytes by doubling and copy the result twice: for messages of a megabyte most collections of V8 were caused by these buffers.
 */
export function reusingSerializer<Message>(codec: Codec<Message>): (message: Message) => Buffer {
  let writer = new BinaryWriter();
  return (message) => {
    const own = writer;
    // A message that cannot be written leaves its writer in an unknown state.
    writer = new BinaryWriter();
    const bytes = codec.encode(message, own).finish();
    if (bytes.length <= MAX_KEPT) writer = own;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}
