import { expect, test } from '@jest/globals';
import { llmsFullPart, llmsHead, llmsSections } from './llms.ts';

test('llms.txt has a section per first segment of the path, and escapes what would end a link', () => {
  const pages = [
    { url: 'https://a.example/', title: 'Home', description: null },
    { url: 'https://a.example/user-guide/a', title: 'A [b]\n(c)', description: 'first\nline' },
    { url: 'https://a.example/user-guide/x_(y)', title: null, description: ' ' },
  ];
  expect(llmsHead({ name: 'Example [site]', description: 'What it\nis' }) + llmsSections(pages)).toBe(
    [
      '# Example \\[site\\]',
      '',
      '> What it is',
      '',
      '## Home',
      '',
      '- [Home](https://a.example/)',
      '',
      '## user guide',
      '',
      '- [A \\[b\\] \\(c\\)](https://a.example/user-guide/a): first line',
      '- [https://a.example/user-guide/x_\\(y\\)](https://a.example/user-guide/x_%28y%29)',
      '',
    ].join('\n'),
  );
});

test('llms-full.txt has the content of a page under its title and URL', () => {
  const page = { url: 'https://a.example/a', title: 'A', description: null };
  expect(llmsFullPart(page, '\nText\n\n')).toBe('\n# A\n\nSource: https://a.example/a\n\nText\n');
});
