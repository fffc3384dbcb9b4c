/** The shape of translated texts: the keys of the English ones, and functions with the same parameters. */
export type Texts<English> = English extends string
  ? string
  : English extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof English]: Texts<English[Key]> };
