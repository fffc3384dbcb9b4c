import type { Plan } from '@tidemark/catalogue';

const plan = (values: Partial<Plan>): Plan => ({
  prices: {},
  allowance: 0,
  overagePer1000: {},
  welcomeCredits: 0,
  rpm: 60,
  subAccounts: 0,
  features: [],
  ...values,
});

const PLANS: Readonly<Record<string, Plan>> = {
  free: plan({ welcomeCredits: 10 }),
  paid: plan({ allowance: 100, welcomeCredits: 20, overagePer1000: { INR: 100 } }),
  larger: plan({ allowance: 300, welcomeCredits: 20, overagePer1000: { INR: 100 } }),
  unlimited: plan({ allowance: null }),
};

/** Plans of the tests of the store; an unknown name is the free plan. */
export const planNamed = (name: string): { name: string; plan: Plan } => {
  const found = PLANS[name];
  return found === undefined ? { name: 'free', plan: plan({ welcomeCredits: 10 }) } : { name, plan: found };
};
