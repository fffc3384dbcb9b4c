export type FormValue =
  | string
  | number
  | boolean
  | readonly FormValue[]
  | { readonly [name: string]: FormValue | undefined };

/** Encodes a body as Stripe reads it: `items[0][price]=…`. Undefined values are left out. */
export function formEncode(body: { readonly [name: string]: FormValue | undefined }): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) append(form, name, value);
  return form.toString();
}

function append(form: URLSearchParams, name: string, value: FormValue | undefined): void {
  if (value === undefined) return;
  if (typeof value !== 'object') form.append(name, String(value));
  else for (const [key, inner] of Object.entries(value)) append(form, `${name}[${key}]`, inner);
}
