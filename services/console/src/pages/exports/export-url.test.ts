import { expect, it } from '@jest/globals';
import { exportUrl, PLAIN } from './export-url.ts';

const all = { ...PLAIN, q: ' words:>9 ', bom: true, guard: false, delimiter: 'tab' } as const;

it('names the dataset, the columns and the query of a file, and only options that apply to its format', () => {
  const csv = exportUrl('prj_1', { ...all, dataset: 'pages', format: 'csv', fields: ['url', 'words'] });
  expect(csv).toBe(
    '/v1/projects/prj_1/export?dataset=pages&format=csv&fields=url%2Cwords&q=words%3A%3E9&delimiter=tab&bom=true&guard=off',
  );
  const parquet = exportUrl('prj_1', { ...all, q: '', dataset: 'pages', format: 'parquet', run: 'run_2' });
  expect(parquet).toBe('/v1/projects/prj_1/export?dataset=pages&format=parquet&run_id=run_2');
});
