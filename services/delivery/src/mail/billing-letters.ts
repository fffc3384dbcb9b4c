type BillingContent = Readonly<
  Record<'workspaceName' | 'used' | 'left' | 'resetsAt' | 'plan' | 'amount' | 'endsAt', string>
>;

/** The texts of the mails about credits and payments. */
export const BILLING_LETTERS = {
  credits_low: ({ workspaceName, used, left, resetsAt }: BillingContent) => ({
    subject: `${workspaceName} has used ${used}`,
    lines: [
      left === '' ? 'Its overage has no cap.' : `It may still use ${left} credits; then new work is refused.`,
      resetsAt === '' ? '' : `The next period begins on ${resetsAt}.`,
    ].filter(Boolean),
  }),
  renewal_unpaid: ({ workspaceName, plan, amount, endsAt }: BillingContent) => ({
    subject: `The renewal of ${workspaceName} is not paid`,
    lines: [
      `The payment of ${amount} for the plan “${plan}” failed. The payment gateway tries it again.`,
      `The plan stays until ${endsAt}, without overage. After that the workspace is on the free plan; nothing is deleted.`,
      'To pay with another card, change the card on the billing page.',
    ],
  }),
  plan_ended: ({ workspaceName, plan, amount }: BillingContent) => ({
    subject: `${workspaceName} is on the free plan`,
    lines: [
      `The renewal of the plan “${plan}” (${amount}) was not paid. The workspace is on the free plan now; nothing was deleted.`,
      'To continue, subscribe again on the billing page.',
    ],
  }),
} as const;
