import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** Returns the tag and length that precede a value of `length` bytes in the field with this number (Protocol Buffers, wire type 2). */
export const lengthPrefix = (field: number, length: number): Uint8Array =>
  new BinaryWriter().tag(field, WireType.LengthDelimited).uint32(length).finish();
