/**
 * State of a person's address. `pending`: its account was made with a mail host, and the link of the mail was not opened; the person can only
 * read, can not sign in again, and the account is deleted after a day. `unproven`: its account was made, or its address changed, without a
 * mail host. `proven`: a message that reached the address was opened, or the sign-in provider states it.
 */
export type AddressState = 'pending' | 'unproven' | 'proven';

/** Returns whether a person must verify the address before writing: an unproven one only where a message can be sent to it. */
export const mustVerifyEmail = (address: AddressState, { hasMails }: { readonly hasMails: boolean }): boolean =>
  address === 'pending' || (address === 'unproven' && hasMails);
