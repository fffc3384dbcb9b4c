/** Returns the mailbox of an address: without the tag after `+`, which most mail hosts ignore (RFC 5233). */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const [local = ''] = email.slice(0, at).split('+');
  return `${local}${email.slice(at)}`.toLowerCase();
}

/** Lower-cases an address, so that one mailbox has one account. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();
