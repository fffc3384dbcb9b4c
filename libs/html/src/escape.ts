const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const entityOf = (char: string): string => ENTITIES[char] ?? char;

/** Escapes text for html and XML, in content and in quoted attribute values. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, entityOf);

/** Escapes only `&`, `<` and `>`, for readers that decode no other entity, such as Slack and language models. */
export const escapeTags = (text: string): string => text.replace(/[&<>]/g, entityOf);
