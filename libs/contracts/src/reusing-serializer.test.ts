import { expect, it } from '@jest/globals';
import { ExportDatasetResponse } from './gen/tidemark/export/v1/export.ts';
import { reusingSerializer } from './reusing-serializer.ts';

it('serializes each message as the generated writer does, whatever was serialized before it', () => {
  const serialize = reusingSerializer(ExportDatasetResponse);
  const messages = [0, 5, 300_000, 1, 5_000_000, 70_000, 2].map((size, at) =>
    ExportDatasetResponse.fromPartial({ part: { $case: 'chunk', value: Buffer.alloc(size, at + 1) } }),
  );
  const written = messages.map((message) => serialize(message));
  for (const [at, message] of messages.entries())
    expect(written[at]?.equals(ExportDatasetResponse.encode(message).finish())).toBe(true);
});

it('serializes the message after one that can not be serialized', () => {
  const serialize = reusingSerializer(ExportDatasetResponse);
  const description = { contentType: 'text/csv', extension: 'csv', rows: 2 ** 40, isComplete: true, unknownUrls: -1 };
  const invalid = ExportDatasetResponse.fromPartial({ part: { $case: 'description', value: description } });
  expect(() => serialize(invalid)).toThrow();
  const valid = ExportDatasetResponse.fromPartial({ part: { $case: 'chunk', value: Buffer.from('a') } });
  expect(serialize(valid).equals(ExportDatasetResponse.encode(valid).finish())).toBe(true);
});
