/** The services that may call each RPC of billing. */
export const BILLING_CALLERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'tidemark.billing.v1.BillingService': {
    Balance: ['crawl', 'gateway', 'map', 'scrape'],
    EstimateCost: ['gateway'],
    GetAccount: ['gateway'],
    Lease: ['crawl', 'map', 'scrape'],
    ListSpend: ['gateway'],
    SetOverageCap: ['gateway'],
    SetPlan: [],
    SetSpendLimits: ['gateway'],
    Statement: ['gateway'],
    Usage: ['gateway'],
  },
  'tidemark.billing.v1.PaymentService': {
    BuyCredits: ['gateway'],
    CancelSubscription: ['gateway'],
    ChangeCard: ['gateway'],
    ChangeSubscription: ['gateway'],
    Confirm: ['gateway'],
    GetSubscription: ['gateway'],
    KeepSubscription: ['gateway'],
    ListInvoices: ['gateway'],
    ListReceipts: ['gateway'],
    ReceiveMessage: ['gateway'],
    RenderDocument: ['gateway'],
    Subscribe: ['gateway'],
  },
};
